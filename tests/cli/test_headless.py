"""The main job without a display, from the first line to the files it leaves."""

import shutil
import subprocess
import sys

from tests.cli.command import KERNELS


def test_the_whole_job_in_the_terminal(call_afresh, tmp_path):
    from PySide6.QtGui import QImage

    shutil.copy(KERNELS / "vector_add.py", tmp_path)
    (tmp_path / "vector_add_tuned.py").write_text("mine = 1\n")
    done = call_afresh("vector_add.py", timeout=400)
    assert done.status == 0, done.out + done.err
    lines = done.out.splitlines()
    assert lines[0] == (
        "no display (neither DISPLAY nor WAYLAND_DISPLAY is set): working in the terminal instead"
    )
    for section in ("launch 0: add_kernel", "compiled add_kernel", "coverage of add_kernel",
                    "sweep of add_kernel"):  # fmt: skip
        assert any(line.startswith(section) for line in lines), section
    assert (tmp_path / "vector_add_tuned.py").read_text() == "mine = 1\n"
    tuned = tmp_path / "vector_add_tuned_2.py"
    proof = subprocess.run(
        [sys.executable, str(tuned), "--check"], capture_output=True, text=True, check=False
    )
    assert proof.returncode == 0, proof.stdout + proof.stderr
    picture = QImage(str(tmp_path / "vector_add_window.png"))
    assert picture.width() >= 1000
    assert picture.height() >= 600
    colours = {picture.pixel(x, y) for x in range(0, 1000, 7) for y in range(0, 600, 7)}
    assert len(colours) > 20  # a window with something in it, not a blank


def test_a_kernel_that_does_not_compile(call_afresh, kernel_file, tmp_path):
    path = kernel_file("")
    path.write_text(
        path.read_text().replace("mask=mask) + 1", "mask=mask) + tl.dot(offsets, offsets)")
    )
    path.write_text(path.read_text() + "def example():\n    run()\n")
    done = call_afresh(path, "--headless", timeout=400)
    assert done.status == 1
    assert "plus_one.py:11: error (compile)" in done.out
    told = [line for line in done.out.splitlines() if "error (" in line]
    assert len(told) == len(set(told))
    assert "no tuned file: the findings say why" in done.out
    # The picture shows the findings, and does not wait for what cannot come.
    assert "picture of the window: plus_one_window.png (without compile" in done.out
    assert (tmp_path / "plus_one_window.png").is_file()


def test_without_a_file_there_is_nothing_to_work_on(call_afresh):
    done = call_afresh()
    assert done.status == 2
    assert "no display" in done.err
