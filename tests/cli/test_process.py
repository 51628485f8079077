"""A worker that dies, hangs or is interrupted ends in one document and leaves no process."""

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.command import environment
from tests.cli.documents import check_document


def errors(document):
    return [item["message"] for item in document["findings"] if item["severity"] == "error"]


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGABRT"])
def test_death_by_a_signal_is_a_finding(call_afresh, kernel_file, name):
    path = kernel_file("")
    done = call_afresh(
        "launches", path, "--driver", f"os.kill(os.getpid(), signal.{name})", "--json"
    )
    assert done.status == 1
    check_document(done.document, "launches")
    (message,) = errors(done.document)
    assert f"died of {name} while running the file and its driver" in message
    assert done.document["device"]["torch"]  # what was known before is kept


def test_libraries_that_fail_at_exit_undo_nothing(call_afresh, kernel_file):
    driver = "import atexit; atexit.register(os.abort); print('done', end=''); run()"
    done = call_afresh("launches", kernel_file(""), "--driver", driver, "--json")
    assert done.status == 0, done.err
    assert errors(done.document) == []
    assert "done" in done.err  # what is printed is not lost


def test_a_driver_that_ends_the_process(call_afresh, kernel_file):
    driver = "import ctypes; ctypes.CDLL(None)._exit(7)"
    done = call_afresh("launches", kernel_file(""), "--driver", driver, "--json")
    assert done.status == 1
    assert "exit status 7" in errors(done.document)[0]


def test_a_driver_that_ends_itself_costs_nothing_else(call_afresh, kernel_file):
    done = call_afresh("launches", kernel_file(""), "--driver", "import os; os._exit(7)", "--json")
    assert done.status == 1
    told = [finding["message"] for finding in done.document["findings"]]
    assert "the driver ended itself: exit status 7" in told
    assert "no kernel was launched" in told


def test_a_limit_of_time(call_afresh, kernel_file):
    started = time.monotonic()
    done = call_afresh(
        "launches", kernel_file(""), "--driver", "while True: pass", "--timeout", "6", "--json"
    )
    assert done.status == 1
    assert "not done after 6 s" in errors(done.document)[0]
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupting_ends_both_processes(kernel_file, tmp_path, number):
    path = kernel_file("")
    driver = "import time; print('it runs', flush=True); time.sleep(100)"
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "playground", "launches", path, "--driver", driver, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=tmp_path,
    ) as command:
        for line in command.stderr:
            if "it runs" in line:
                break
        command.send_signal(number)
        out, err = command.communicate(timeout=60)
    assert "Traceback" not in err
    if number == signal.SIGINT:
        assert command.returncode == 130
        assert errors(json.loads(out)) == ["interrupted while running the file and its driver"]
    else:
        assert command.returncode == 128 + signal.SIGTERM
    # That no process is left is what the fixture of every test looks at.


@pytest.mark.parametrize("arguments", [("launches",), ("launches", "--json"), ("--headless",)])
def test_output_that_cannot_be_written(kernel_file, tmp_path, arguments):
    verb, *options = arguments
    command = [sys.executable, "-P", "-m", "playground", verb, kernel_file("run()\n"), *options]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment(),
            cwd=tmp_path, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "could not write the output: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_had_enough_ends_the_whole_job(kernel_file, tmp_path):
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "playground", "--headless", kernel_file("run()\n")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path,
    ) as command:  # fmt: skip
        assert "--headless was given" in command.stdout.readline()
        command.stdout.close()
        err = command.stderr.read()
    assert command.returncode == 128 + signal.SIGPIPE
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == [tmp_path / "plus_one.py"]
