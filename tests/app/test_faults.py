"""Whatever a driver does, the window lives, the text stays, and the reason is told."""

import os
import signal
from pathlib import Path

import pytest

from playground.model.resources import kernels_dir
from playground.protocol import messages
from tests.app.conftest import App, pause, wait_for

VECTOR_ADD = str(kernels_dir() / "vector_add.py")


def said(app: App) -> str:
    return "\n".join(finding.text() for finding in app.document.findings)


def back_again(app: App) -> None:
    wait_for(lambda: bool(app.deaths), 30, "the death")
    wait_for(lambda: app.engine.state == "ready", 60, "the new kernel")


def run_file(app: App, folder: Path, text: str) -> None:
    app.write(folder, text)
    app.document.run()


def test_os_exit_in_the_driver(app: App, tmp_path: Path) -> None:
    pid = app.engine.pid
    run_file(app, tmp_path, "import os\nos._exit(3)\n")
    wait_for(lambda: "exit status 3" in said(app), 30, "the finding")
    app.settle()
    assert app.deaths == []
    assert app.engine.pid == pid


def test_a_process_that_is_ended_from_within(app: App, tmp_path: Path) -> None:
    text = "import ctypes\nctypes.CDLL(None)._exit(3)\n"
    run_file(app, tmp_path, text)
    back_again(app)
    pause(0.3)
    assert app.document.text == text
    assert len(app.deaths) == 1
    assert "exited with status 3" in said(app)
    assert "not run again" in said(app)


def test_a_segmentation_fault_tells_where(app: App, tmp_path: Path) -> None:
    run_file(app, tmp_path, "import ctypes\n\ndef boom():\n    ctypes.string_at(0)\n\nboom()\n")
    back_again(app)
    (finding,) = [f for f in app.document.findings if "was ended by SIGSEGV" in f.message]
    assert "in boom" in finding.detail
    assert "user.py" in finding.detail


def test_a_killed_kernel_comes_back_with_the_last_run(app: App) -> None:
    document = app.document
    document.open_file(VECTOR_ADD)
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    document.set_knob("BLOCK_SIZE", 256)
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    app.settle()
    os.kill(app.engine.pid or 0, signal.SIGKILL)
    back_again(app)
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage again")
    assert document.config["BLOCK_SIZE"] == 256
    assert len(document.launches) == 1
    assert "SIGKILL" in said(app)
    assert "variables made in the console are lost" in said(app)


@pytest.mark.parametrize("loop", ["while True:\n    pass\n", "import time\ntime.sleep(1000)\n"])
def test_an_endless_driver_is_interrupted(app: App, tmp_path: Path, loop: str) -> None:
    pid = app.engine.pid
    begun = tmp_path / "begun"
    run_file(app, tmp_path, f"open({str(begun)!r}, 'w').close()\n{loop}")
    wait_for(begun.exists)
    app.document.interrupt()
    wait_for(lambda: app.engine.state == "ready", 10, "the engine after the interrupt")
    assert app.engine.pid == pid
    assert "interrupted" in said(app)


@pytest.mark.parametrize("code", ["import sys\nsys.exit(2)\n", "raise SystemExit('enough')\n"])
def test_sys_exit_in_the_driver(app: App, tmp_path: Path, code: str) -> None:
    pid = app.engine.pid
    run_file(app, tmp_path, code)
    wait_for(lambda: bool(app.document.findings), 10, "a finding")
    app.settle()
    assert app.engine.pid == pid
    assert app.deaths == []


def test_an_exception_in_the_driver_is_on_its_line(app: App, tmp_path: Path) -> None:
    run_file(app, tmp_path, "def f(n):\n    return 1 // n\n\nf(0)\n")
    wait_for(lambda: bool(app.document.findings), 10, "a finding")
    app.settle()
    finding = app.document.findings[0]
    assert (finding.severity, finding.stage) == ("error", "driver")
    assert "ZeroDivisionError" in finding.message
    assert finding.line == 2
    assert "server.py" not in finding.detail


def test_a_hundred_megabytes_of_output(app: App, tmp_path: Path) -> None:
    run_file(app, tmp_path, "for _ in range(100):\n    print(('z' * 99 + '\\n') * 10_000)\n")
    wait_for(lambda: bool(app.document.findings), 60, "the end of the run")
    app.settle()
    assert app.deaths == []
    assert "launched no Triton kernel" in said(app)


def test_threads_left_by_the_driver_do_not_hold_the_end(app: App, tmp_path: Path) -> None:
    text = "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\n"
    run_file(app, tmp_path, text)
    wait_for(lambda: bool(app.document.findings), 10, "the end of the run")
    app.engine.restart()
    wait_for(lambda: app.engine.state == "ready", 60)


def test_a_module_that_closes_stdout(app: App, tmp_path: Path) -> None:
    run_file(app, tmp_path, "import os, sys\nos.close(1)\nsys.stdout.write('still here\\n')\n")
    wait_for(lambda: bool(app.document.findings), 10, "the end of the run")
    app.settle()
    assert app.deaths == []


def test_cancel_ends_a_driver_that_never_ends(app: App, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    app.write(tmp_path, f"open({str(begun)!r}, 'w').close()\nwhile True:\n    pass\n")
    app.document.run()
    wait_for(begun.exists, 20, "the run")  # before it there is nothing to interrupt
    app.document.cancel()
    wait_for(lambda: app.engine.state == "ready", 20, "the end of the run")
    assert any("interrupted" in found.message for found in app.document.findings)
    assert not app.deaths


UNRULY = {
    "a fork that runs on": "import os\nos.fork()\nprint('twice')\n",
    "a fork that is waited for": "import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\n",
    "forked workers": """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
""",
    "another folder": "import os\nos.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')\n",
    "threads": """
import threading, time
for _ in range(50):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
""",
    "Qt in the engine": """
import os
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtWidgets import QApplication
app = QApplication([])
""",
    "another backend of matplotlib": """
import os
os.environ["MPLBACKEND"] = "qtagg"
get_ipython().run_line_magic("gui", "qt6")
""",
    "Triton patched": "import triton\ntriton.jit = triton.cdiv = triton.language.load = None\n",
    "builtins patched": "import builtins\nbuiltins.print = builtins.open = None\n",
    "closed streams": "import sys\nsys.stdout.close()\nsys.stderr.close()\n",
    "standard streams gone": "import sys\nsys.stdout = sys.stderr = sys.stdin = None\n",
    "signals": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n",
    "an exit handler": "import atexit\natexit.register(lambda: 1 / 0)\n",
    "recursion": "import sys\nsys.setrecursionlimit(60)\n",
}


@pytest.mark.parametrize("text", UNRULY.values(), ids=list(UNRULY))
def test_what_a_driver_changes_does_not_reach_the_next_file(
    app: App, tmp_path: Path, text: str
) -> None:
    pid, document = app.engine.pid, app.document
    run_file(app, tmp_path, text)
    wait_for(lambda: bool(document.findings), 20, "the end of the run")
    app.settle()
    document.open_file(VECTOR_ADD)
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    app.settle()
    assert document.check is not None
    assert document.check.status == "correct"
    assert app.engine.pid == pid
    assert app.deaths == []
    # One run, one answer: a copy of the engine would answer as well.
    assert len([r for r, _ in app.replies if isinstance(r, messages.RunResult)]) == 2


def test_a_kernel_without_end_is_stopped_by_cancel(app: App, tmp_path: Path) -> None:
    app.write(tmp_path, ENDLESS)
    document, pid = app.document, app.engine.pid
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    app.settle()
    document.set_knob("STEP", 0)
    pause(1.0)
    document.cancel()
    wait_for(lambda: document.work.queue.job is None, 20, "the end of the replay")
    document.set_knob("STEP", 2)
    wait_for(lambda: document.is_current(document.coverage), 60, "coverage")
    app.settle()
    assert app.engine.pid == pid
    assert app.deaths == []


ENDLESS = """
import torch
import triton
import triton.language as tl


@triton.jit
def count(out_ptr, n, STEP: tl.constexpr):
    i = 0
    while i < n:
        i += STEP
    tl.store(out_ptr, i)


def example(n: int = 64):
    out = torch.empty(1)
    count[(1,)](out, n, STEP=1)
    return out
"""
