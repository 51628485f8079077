"""How long until the window is painted, against `jupyter qtconsole` on the same machine.

Run it with the Python that has the project installed: `python -m tests.benchmarks.startup`.
Each program is started several times in turn, offscreen, and stopped at the first paint of its
main window; the time counts from the start of the process. On a machine with other work on it the
fastest starts and the processor time of the program's own process say more than the median. Also
printed: the window's memory, and whether torch or triton got into its process, once all panels are
filled and the engine is up.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.child_environment import child_environment

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "kernels" / "vector_add.py"

# Both hooks watch for the first paint of a shown top-level window, in the same way.
WATCH = """
import os, sys, time
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QMainWindow

class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QMainWindow):
            used = os.times()
            os.write(1, b"PAINTED %r %r\\n" % (time.time(), used.user + used.system))
            os._exit(0)
        return False
"""
OURS = (
    "from playground.ui import app\n"
    + WATCH
    + """
application = app.application(["triton-playground"])
watch = Watch()
application.installEventFilter(watch)
sys.exit(app.main(sys.argv[1:2]))
"""
)
THEIRS = (
    WATCH
    + """
from qtconsole import qtconsoleapp
made = qtconsoleapp.JupyterQtConsoleApp.init_qt_app
def init_qt_app(self):
    made(self)
    self.watch = Watch()
    self.app.installEventFilter(self.watch)
qtconsoleapp.JupyterQtConsoleApp.init_qt_app = init_qt_app
sys.argv[1:] = []
qtconsoleapp.main()
"""
)
SETTLED = """
import json, os, sys, time
from PySide6.QtCore import QTimer
from playground.ui import app, window
application = app.application(["triton-playground"])
def look(shown):
    if shown.document.engine_state not in ("ready", "busy") or len(shown.docks.views) < 8:
        QTimer.singleShot(200, lambda: look(shown))
        return
    with open("/proc/self/statm") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    heavy = sorted({"torch", "triton"} & set(sys.modules))
    print("SETTLED " + json.dumps({"rss_mb": resident / 1e6, "heavy": heavy}), flush=True)
    shown.close()
made = window.MainWindow.__init__
def init(self, *a, **k):
    made(self, *a, **k)
    self.firstPainted.connect(lambda: QTimer.singleShot(2000, lambda: look(self)))
window.MainWindow.__init__ = init
sys.exit(app.main(sys.argv[1:2]))
"""


def first_paint_s(code, *arguments):
    """Return seconds from start to first paint, and seconds of processor time."""
    started = time.time()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, timeout=120, env=environment(), cwd=ROOT, check=False,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        if line.startswith("PAINTED "):
            painted, used = map(float, line.split()[1:])
            return painted - started, used
    raise SystemExit(f"no window was painted:\n{done.stdout}\n{done.stderr}")


def settled():
    done = subprocess.run(
        [sys.executable, "-c", SETTLED, str(KERNEL)],
        capture_output=True, text=True, timeout=180, env=environment(), cwd=ROOT, check=False,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        if line.startswith("SETTLED "):
            return json.loads(line.removeprefix("SETTLED "))
    raise SystemExit(f"the window did not settle:\n{done.stdout}\n{done.stderr}")


def environment():
    # Compiled modules are kept for both, as in any installation.
    folder = Path(_folder.name)
    found = child_environment(
        PYTHONPYCACHEPREFIX=str(folder / "pyc"), QT_QPA_PLATFORM="offscreen",
        PLAYGROUND_CONFIG_DIR=str(folder / "config"), JUPYTER_CONFIG_DIR=str(folder / "jupyter"),
    )  # fmt: skip
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    # One unmeasured start each: the first one reads everything from disk.
    first_paint_s(OURS, str(KERNEL))
    first_paint_s(THEIRS)
    ours, theirs = [], []
    for _ in range(options.rounds):
        ours.append(first_paint_s(OURS, str(KERNEL)))
        theirs.append(first_paint_s(THEIRS))
    state = settled()
    figures = {
        name: [statistics.median(wall), min(wall), min(used)]
        for name, runs in (("ours", ours), ("qtconsole", theirs))
        for wall, used in [zip(*runs, strict=True)]
    }
    ratios = [a / b for a, b in zip(figures["ours"], figures["qtconsole"], strict=True)]
    result = {
        "ours_s": figures["ours"],
        "qtconsole_s": figures["qtconsole"],
        "ratios": ratios,
        "rss_mb": state["rss_mb"],
        "heavy_modules": state["heavy"],
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"{'first paint, ms':26} {'median':>8} {'fastest':>8} {'processor':>9}")
    for title, key in (("this window", "ours_s"), ("qtconsole", "qtconsole_s")):
        middle, fastest, used = (1000 * value for value in result[key])
        print(f"{title:26} {middle:8.0f} {fastest:8.0f} {used:9.0f}")
    print(f"{'ratio':26} {ratios[0]:8.2f} {ratios[1]:8.2f} {ratios[2]:9.2f}   (at most 0.50)")
    print(f"window's memory, settled   {result['rss_mb']:8.0f} MB (to hold: under 250)")
    print(f"torch or triton in it      {', '.join(result['heavy_modules']) or 'no':>8}")


_folder = tempfile.TemporaryDirectory()
if __name__ == "__main__":
    main()
