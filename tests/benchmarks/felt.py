"""Speed that is felt: cold start to typeable, file switch, theme switch, first plot.

Run it with the Python that has the project installed: `python -m tests.benchmarks.felt`; with
`--napari PYTHON`, the Python of an environment that has napari, that stands beside it as well.
Every program is started anew for each round, offscreen (napari, which draws by OpenGL, under Xvfb,
with `xvfb-run`), and does in one process what it has of the
four; what has no counterpart is said so. Times are wall time and, as other work on the machine
lengthens that, processor time of the program's own process: from the start of the process until
text can be typed, from the call until everything is painted for the rest.

- **file switch**: another file of the bundled ones is shown in the editor. qtconsole opens another
  tab (a console); napari has no text, it adds an image of 512 by 512 in place of the one shown.
- **theme switch**: light to dark with the panels filled. qtconsole changes its syntax style, which
  is all the theme it has; napari its theme.
- **first plot**: the first samples of a first measurement, painted. qtconsole shows no plots of its
  own; napari's is its first image.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.child_environment import child_environment

ROOT = Path(__file__).resolve().parents[2]
TASKS = ("start", "file", "theme", "plot")
TITLES = {
    "start": "cold start to typeable", "file": "file switch", "theme": "theme switch",
    "plot": "first plot",
}  # fmt: skip
LIMITS_MS = {"theme": 150.0, "plot": 100.0}

CLOCK = """
import json, os, sys, time
born = float(sys.argv.pop(1))
def used():
    times = os.times()
    return times.user + times.system
found = {}
def took(name, do):
    wall, cpu = time.perf_counter(), used()
    do()
    found[name] = (time.perf_counter() - wall, used() - cpu)
def started():
    found["start"] = (time.time() - born, used())
def tell():
    os.write(1, b"FELT " + json.dumps(found).encode() + b"\\n")
    os._exit(0)
"""
OURS = (
    CLOCK
    + """
from playground.ui import app as starting
app = starting.application(["triton-playground"])
from PySide6.QtCore import QTimer
from playground.ui import window as windows
made = windows.MainWindow.__init__
def settle():
    for _ in range(20):
        app.processEvents()
def work(shown):
    started()
    QTimer.singleShot(0, lambda: rest(shown))
def rest(shown):
    from playground.model.config import Config
    from playground.model.measurement import Measurement
    from playground.model.resources import kernels_dir
    if len(shown.docks.views) < 17:
        QTimer.singleShot(50, lambda: rest(shown))
        return
    settle()
    def switch():
        shown.document.open_file(str(kernels_dir() / "softmax.py"))
        shown.editor.repaint()
        settle()
    took("file", switch)
    def turn():
        shown.toggle_theme()
        shown.repaint()
        settle()
    took("theme", turn)
    plot = shown.docks.views["timings"].samples_plot
    config = Config.of({"BLOCK_SIZE": 1024})
    samples = tuple(0.05 + 0.0001 * (n * 7919 % 13) for n in range(200))
    measured = Measurement(0, config, samples, "cupti", "cold")
    shown.docks.views["timings"]._stack.setCurrentIndex(1)
    settle()
    def draw():
        plot.show_samples(measured, None)
        plot.repaint()
        settle()
    took("plot", draw)
    tell()
def init(self, *a, **k):
    made(self, *a, **k)
    self.firstPainted.connect(lambda: work(self))
windows.MainWindow.__init__ = init
sys.exit(starting.main(sys.argv[1]))
"""
)
QTCONSOLE = (
    CLOCK
    + """
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QMainWindow
from qtconsole import qtconsoleapp
class Watch(QObject):
    seen = False
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QMainWindow) and not self.seen:
            self.seen = True
            started()
            QTimer.singleShot(1500, self.rest)
        return False
    def rest(self):
        window = self.qtapp.window
        def settle():
            for _ in range(20):
                self.qtapp.app.processEvents()
        def switch():
            window.create_tab_with_new_frontend()
            window.repaint()
            settle()
        took("file", switch)
        def turn():
            window.set_syntax_style("monokai")
            window.repaint()
            settle()
        took("theme", turn)
        tell()
made = qtconsoleapp.JupyterQtConsoleApp.init_qt_app
def init_qt_app(self):
    made(self)
    self.watch = Watch()
    self.watch.qtapp = self
    self.app.installEventFilter(self.watch)
qtconsoleapp.JupyterQtConsoleApp.init_qt_app = init_qt_app
sys.argv[1:] = []
qtconsoleapp.main()
"""
)
NAPARI = (
    CLOCK
    + """
import napari, numpy
viewer = napari.Viewer(show=True)
from qtpy.QtWidgets import QApplication
app = QApplication.instance()
def settle():
    for _ in range(20):
        app.processEvents()
settle()
started()
image = numpy.arange(512 * 512, dtype="float32").reshape(512, 512)
def first():
    viewer.add_image(image)
    settle()
took("plot", first)
def switch():
    viewer.layers.clear()
    viewer.add_image(image[::-1])
    settle()
took("file", switch)
def turn():
    viewer.theme = "light" if viewer.theme != "light" else "dark"
    settle()
took("theme", turn)
tell()
"""
)


def felt(python: str, code: str, folder: Path, *arguments: str) -> dict[str, tuple[float, float]]:
    """Return seconds of wall and of processor time by task; nothing for what it does not have."""
    found = child_environment(
        PYTHONPYCACHEPREFIX=str(folder / "pyc"), QT_QPA_PLATFORM="offscreen",
        PLAYGROUND_CONFIG_DIR=str(folder / "config"), JUPYTER_CONFIG_DIR=str(folder / "jupyter"),
        NAPARI_CONFIG=str(folder / "napari.yaml"),
    )  # fmt: skip
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    under: list[str] = []
    if code is NAPARI:
        under = ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24"]
        found["QT_QPA_PLATFORM"] = "xcb"
    born = "import sys, time; sys.argv.insert(1, repr(time.time()))\n"
    done = subprocess.run(
        [*under, python, "-c", born + code, *arguments], capture_output=True, text=True,
        timeout=240, env=found, cwd=ROOT, check=False,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        if line.startswith("FELT "):
            return json.loads(line.removeprefix("FELT "))
    raise SystemExit(f"it did not come to its end:\n{done.stdout}\n{done.stderr[-2000:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--napari", default="", metavar="PYTHON", help="a Python that has napari")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    kernel = str(ROOT / "kernels" / "vector_add.py")
    programs = [("this window", sys.executable, OURS, (kernel,)),
                ("qtconsole", sys.executable, QTCONSOLE, ())]  # fmt: skip
    if options.napari:
        programs.append(("napari", options.napari, NAPARI, ()))
    runs: dict[str, list[dict[str, tuple[float, float]]]] = {each[0]: [] for each in programs}
    with tempfile.TemporaryDirectory() as name:
        for each in range(options.rounds + 1):
            for title, python, code, arguments in programs:
                found = felt(python, code, Path(name), *arguments)
                if each:  # the first start reads everything from disk
                    runs[title].append(found)
    figures = {
        title: {
            task: [
                1000 * statistics.median(run[task][0] for run in mine),
                1000 * min(run[task][1] for run in mine),
            ]
            for task in TASKS
            if all(task in run for run in mine)
        }
        for title, mine in runs.items()
    }
    if options.json:
        print(json.dumps(figures))
        return
    print(f"{'ms: median wall, least processor':34}" + "".join(f"{t:>20}" for t in figures))
    for task in TASKS:
        cells = [
            f"{of[task][0]:9.0f} {of[task][1]:6.0f}" if task in of else "has none"
            for of in figures.values()
        ]
        limit = f" (at most {LIMITS_MS[task]:.0f})" if task in LIMITS_MS else ""
        print(f"{TITLES[task] + limit:34}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    main()
