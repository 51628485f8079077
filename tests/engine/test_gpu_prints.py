"""What is written to the process's standard output, at its descriptor, told apart by program."""

import ctypes
import os

from playground.engine.alone import printed_on_gpu
from playground.engine.gpu_prints import silenced, standard_output_taken


def test_what_c_and_python_write_is_taken_and_told_apart(capfd):
    libc = ctypes.CDLL(None)
    with standard_output_taken() as said:
        os.write(1, b"pid (1, 0, 0) idx () n: 7\n")
        libc.puts(b"pid (0, 0, 0) idx (0) x: 1.500000")  # as the driver does: through C's buffer
        libc.puts(b"not a kernel's")
    print("afterwards")
    assert capfd.readouterr().out == "afterwards\n"
    prints = printed_on_gpu(said, (2, 1, 1), "BLOCK is 16\n", 1 << 20, None)
    assert [(one.program, one.prefix, one.values) for one in prints.printed] == [
        (0, "x", ("1.500000",)), (1, "n", ("7",)),
    ]  # fmt: skip
    assert (prints.lines, prints.lost, prints.static) == (2, False, ("BLOCK is 16",))
    assert prints.other == ("not a kernel's",)


def test_a_full_buffer_is_said():
    with standard_output_taken() as said:
        for at in range(30):
            os.write(1, f"pid (0, 0, 0) idx ({at}) x: 1.0\n".encode())
    # 30 records of 16 + 4 * 4 + 8 bytes are 1200.
    prints = printed_on_gpu(said, (1, 1, 1), "", 1300, None)
    assert prints.lost
    assert "print buffer" in prints.notes[0]
    assert not printed_on_gpu(said, (1, 1, 1), "", 4096, None).lost


def test_what_is_silenced_goes_nowhere_and_what_was_before_comes_out(capfd):
    libc = ctypes.CDLL(None)
    libc.puts(b"before")
    with silenced():
        os.write(1, b"pid (0, 0, 0) idx () n: 7\n")
        libc.puts(b"meanwhile")
        with standard_output_taken() as said:
            libc.puts(b"what is asked for")
    libc.puts(b"afterwards")
    libc.fflush(None)
    assert capfd.readouterr().out == "before\nafterwards\n"
    assert said.lines() == ["what is asked for"]
