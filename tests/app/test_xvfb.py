"""The real program on a real X server, driven by real key and mouse events from outside."""

import json
import shutil
import subprocess
import sys
import threading
import time

import psutil
import pytest

from playground.model.resources import kernels_dir
from tests.child_environment import child_environment

pytestmark = pytest.mark.xvfb

# The program itself; besides, it tells ten times a second where its widgets are and what it shows.
PROGRAM = """
import json, sys
from playground.ui import app, docks, window
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QWidget
made = window.MainWindow.__init__
def place(widget):
    middle = widget.mapToGlobal(QPoint(widget.width() // 2, widget.height() // 2))
    return [middle.x(), middle.y()]
def init(self, *arguments, **named):
    made(self, *arguments, **named)
    def tell():
        document = self.document
        box = QApplication.activeModalWidget()
        discard = None
        if isinstance(box, QMessageBox):
            discard = place(box.button(QMessageBox.StandardButton.Discard))
        names = ["editor", "driver.run", "knob:BLOCK_SIZE", "findBar", "toolbar.theme.toggle",
                 "notice.trust.file"]
        found = {name: self.findChild(QWidget, name) for name in names}
        print(json.dumps({
            "window": int(self.winId()), "engine": document.engine_state,
            "views": len(self.docks.views), "docks": len(docks.DOCKS),
            "text": document.text[:40], "dirty": document.dirty,
            "launches": len(document.launches), "config": document.config.as_dict(),
            "covered": document.is_current(document.coverage),
            "check": document.check.status if document.check else None,
            "theme": self.theme.name, "discard": discard,
            "places": {n: place(w) for n, w in found.items() if w is not None and w.isVisible()},
        }), flush=True)
    self.teller = QTimer(self)
    self.teller.timeout.connect(tell)
    self.teller.start(100)
window.MainWindow.__init__ = init
sys.exit(app.main([sys.argv[1]]))
"""


class Screen:
    """An X server with the program on it."""

    def __init__(self, path, folder):
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        # The very first window offers its tour, whose card may stand where this test clicks.
        folder.mkdir(exist_ok=True)
        (folder / "window.ini").write_text("[tour]\nstep=dismissed\n")
        self.display = f":{self.server.stdout.readline().strip()}"
        self.environment = child_environment(
            DISPLAY=self.display, QT_QPA_PLATFORM="xcb", PLAYGROUND_CONFIG_DIR=str(folder)
        )
        self.program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path)], env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.state = {}
        self.errors = []
        self._readers = [
            threading.Thread(target=self._read), threading.Thread(target=self._read_errors),
        ]  # fmt: skip
        for reader in self._readers:
            reader.start()

    def _read(self):
        for line in self.program.stdout:
            if line.startswith("{"):
                self.state = json.loads(line)

    def _read_errors(self):
        self.errors.extend(self.program.stderr)

    def wait(self, condition, limit_s=60.0):
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            if self.state and condition(self.state):
                return self.state
            if self.program.poll() is not None:
                break
            time.sleep(0.05)
        pytest.fail(f"waited in vain; last: {self.state}\n{''.join(self.errors)[-3000:]}")

    def xdotool(self, *arguments):
        subprocess.run(["xdotool", *arguments], env=self.environment, check=True, timeout=30)

    def click(self, place):
        self.xdotool("mousemove", str(place[0]), str(place[1]), "click", "1")

    def close(self):
        if self.program.poll() is None:
            self.program.terminate()
            try:
                self.program.wait(10)
            except subprocess.TimeoutExpired:
                self.program.kill()
        self.program.wait(10)
        for reader in self._readers:
            reader.join(5)
        self.program.stdout.close()
        self.program.stderr.close()
        self.server.terminate()
        self.server.wait(10)
        self.server.stdout.close()


@pytest.fixture
def screen(tmp_path):
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is not installed (apt-get install xdotool)")
    path = tmp_path / "vector_add.py"
    path.write_text((kernels_dir() / "vector_add.py").read_text())
    made = Screen(path, tmp_path / "config")
    yield made
    made.close()


def test_type_run_move_a_knob_and_close(screen):
    state = screen.wait(lambda s: s["views"] == s["docks"] and s["engine"] == "ready")
    # There is no window manager here to give the window the keyboard.
    screen.xdotool("windowfocus", "--sync", str(state["window"]))

    screen.click(state["places"]["editor"])
    screen.xdotool("key", "ctrl+Home")
    screen.xdotool("type", "--delay", "20", "# typed by hand")
    screen.xdotool("key", "Return")
    state = screen.wait(lambda s: s["text"].startswith("# typed by hand\n"), 10)
    assert state["dirty"]
    assert state["launches"] == 0

    screen.click(state["places"]["driver.run"])
    state = screen.wait(lambda s: "notice.trust.file" in s["places"], 10)
    assert state["launches"] == 0
    screen.click(state["places"]["notice.trust.file"])
    state = screen.wait(lambda s: s["launches"] == 1 and s["covered"])
    assert state["check"] == "correct"
    assert state["config"]["BLOCK_SIZE"] == 1024

    screen.click(state["places"]["knob:BLOCK_SIZE"])
    screen.xdotool("key", "ctrl+a")
    screen.xdotool("type", "--delay", "20", "256")
    screen.xdotool("key", "Return")
    screen.wait(lambda s: s["config"]["BLOCK_SIZE"] == 256 and s["covered"])

    screen.click(state["places"]["editor"])
    screen.xdotool("key", "ctrl+f")
    screen.wait(lambda s: "findBar" in s["places"], 10)
    screen.xdotool("key", "Escape")
    screen.wait(lambda s: "findBar" not in s["places"], 10)

    screen.click(state["places"]["toolbar.theme.toggle"])
    screen.wait(lambda s: s["theme"] == "dark")

    screen.xdotool("key", "ctrl+q")
    state = screen.wait(lambda s: s["discard"] is not None)
    screen.click(state["discard"])
    assert screen.program.wait(20) == 0
    assert "Traceback" not in "".join(screen.errors), "".join(screen.errors)


def test_the_screen_going_away_takes_no_text_and_leaves_no_engine(screen, tmp_path):
    state = screen.wait(lambda s: s["views"] == s["docks"] and s["engine"] == "ready")
    screen.xdotool("windowfocus", "--sync", str(state["window"]))
    screen.click(state["places"]["editor"])
    screen.xdotool("key", "ctrl+Home")
    screen.xdotool("type", "--delay", "20", "# typed by hand")
    screen.wait(lambda s: s["text"].startswith("# typed by hand"), 10)
    engines = [
        child for child in psutil.Process(screen.program.pid).children(recursive=True)
        if "playground.engine" in child.cmdline()
    ]  # fmt: skip
    assert len(engines) == 1
    time.sleep(2.5)  # unsaved text is kept two seconds after the first key
    screen.server.kill()
    assert screen.program.wait(20) != 0
    gone, alive = psutil.wait_procs(engines, 20)
    assert gone == engines
    assert alive == []
    kept = [json.loads(each.read_text()) for each in (tmp_path / "config").rglob("windows/*.json")]
    assert [each["unsaved"].startswith("# typed by hand") for each in kept] == [True]
    assert "# typed" not in (tmp_path / "vector_add.py").read_text()
