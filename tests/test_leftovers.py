"""The detectors of `conftest.py` find what they should, in a pytest run of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.child_environment import child_environment

ROOT = Path(__file__).parents[1]

LEAKY = {
    "thread": """
import threading
EVENT = threading.Event()
def test_it():
    threading.Thread(target=EVENT.wait, args=(20,), name="forgotten", daemon=True).start()
""",
    "process": """
import subprocess, sys
def test_it():
    global child
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
""",
    "QTimer": """
from PySide6.QtCore import QTimer
def test_it(qapp):
    global timer
    timer = QTimer()
    timer.start(100000)
""",
    "top-level widget": """
from PySide6.QtWidgets import QWidget
def test_it(qapp):
    global widget
    widget = QWidget()
""",
}

CLEAN = """
import threading
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
def test_it(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.timer = QTimer(widget)
    widget.timer.start(100000)
    thread = threading.Thread(target=print)
    thread.start()
    thread.join()
"""


def run_pytest(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    (folder / "conftest.py").write_text(conftest.replace("found()", "found(0.3)"), encoding="utf-8")
    (folder / "test_leaky.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nqt_api = pyside6\n", encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=child_environment(),
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize("kind", LEAKY)
def test_a_leak_fails_the_test(tmp_path, kind):
    result = run_pytest(tmp_path, LEAKY[kind])
    assert result.returncode == 1, result.stdout + result.stderr
    assert "the test left behind" in result.stdout
    assert kind in result.stdout


def test_a_clean_test_passes(tmp_path):
    result = run_pytest(tmp_path, CLEAN)
    assert result.returncode == 0, result.stdout + result.stderr
