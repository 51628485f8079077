"""Photographs every panel in the window: `python -m tests.ui.photograph_panels FOLDER`.

For looking at them after a change, on the scripted engine (a matrix product on a GPU): options say
theme, size, letters and which panels. QT_SCALE_FACTOR=2 photographs at twice the scale.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTemporaryDir
from PySide6.QtWidgets import QApplication, QTabBar

from playground.model.measurement import ClockState
from playground.model.resources import kernels_dir
from playground.ui import app as starting
from playground.ui.docks import DOCKS
from playground.ui.document import Document
from playground.ui.document_timing import Rival
from playground.ui.settings import Settings
from playground.ui.theme import Theme
from playground.ui.views.sweep import PAGES
from playground.ui.window import MainWindow
from tests.ui.fake_engine import FakeEngine
from tests.ui.matmul_engine import MatmulEngine
from tests.ui.recorded_sweep import SPACE
from tests.ui.sweep_engine import SweepEngine

COMPILER_PARTS = ("resources", "stages", "lines", "passes", "compilations", "fits")


def settle(app: QApplication, seconds: float = 0.3) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)


def wait(app: QApplication, done: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)


def work(window: MainWindow, app: QApplication) -> None:
    """Have everything measured that a panel can show."""
    document = window.document
    wait(app, lambda: document.engine_state == "ready")
    document.run()
    wait(app, lambda: document.is_current(document.coverage))
    wait(app, lambda: document.work.queue.job is None)
    document.pin_baseline()
    block = next(knob.name for knob in document.launch.knobs if "BLOCK" in knob.name)
    for value in (64, 32, 128):
        document.set_knob(block, value)
        wait(app, lambda: document.is_current(document.coverage))
    document.timing.compare(Rival(expression="torch.matmul(a, b)"))
    document.curves.start()
    settle(app, 0.4)
    document.nsight.profile()
    document.experiments.measure_all()
    document.advice.ask()
    settle(app, 0.4)
    document.debugging.toggle_point(52)
    document.debugging.watch("total.max()")
    for moment in range(60):
        hot = moment > 45
        state = ClockState(
            1980 - 4 * moment * hot, 3201, 40 + moment // 3, 200.0 + 6 * moment,
            "power cap" if hot else "", min(100, 3 * moment),
        )  # fmt: skip
        document.telemetry.add(time.monotonic() - 60 + moment, state)
    settle(app)


def pages(window: MainWindow, name: str) -> Iterator[str]:
    """Bring one page of a panel after the other forward; give their names."""
    view = window.docks.views[name]
    if name == "sweep":
        for page, _, _ in PAGES:
            if page != "sizes":
                view.show_view(page)
                yield page
    elif name == "compiler":
        for part in COMPILER_PARTS:
            window.compiler_verbs.show(part)
            yield part
    elif name == "debugger":
        for page in range(view.pages.count()):
            view.tabs.choose(page)
            yield view.tabs.bar.tabText(page)
    else:
        yield ""


def photograph(
    app: QApplication, engine: FakeEngine, options: argparse.Namespace, prefix: str
) -> None:
    theme = Theme(options.theme)
    folder = QTemporaryDir()
    settings = Settings(Path(folder.filePath("window.ini")))
    document = Document(engine)
    window = starting.build_window(document, theme, engine, settings=settings)
    width, _, height = options.size.partition("x")
    window.resize(int(width), int(height))
    window.show()
    window.docks.arrange()
    engine.start()
    window.area.start_colours()
    window.docks.fill_now()
    if not options.empty:
        document.open_file(str(kernels_dir() / "matmul.py"))
        if isinstance(engine, SweepEngine):
            wait(app, lambda: document.engine_state == "ready")
            document.run()
            wait(app, lambda: document.launch is not None and document.work.queue.job is None)
            document.sweep.set_choice(source="values")
            for name, values in SPACE.items():
                document.sweep.set_values(name, ", ".join(map(str, values)))
        else:
            work(window, app)
    if isinstance(engine, SweepEngine):
        document.sweep.start()
        settle(app, 0.5)
    wanted = options.panels.split(",") if options.panels else [spec.id for spec in DOCKS]
    if isinstance(engine, SweepEngine):
        wanted = [name for name in wanted if name == "sweep"]
    else:
        wanted = [name for name in wanted if name != "sweep" or options.empty]
    for name in wanted:
        window.docks.show(name)
        if name == "debugger" and not options.empty:
            window.debug_verbs.start()
            settle(app)
            for verb in (window.debug_verbs.run_alone, window.debug_verbs.show_prints,
                         window.debug_verbs.hunt, window.debug_verbs.compare):  # fmt: skip
                verb()
                settle(app, 0.2)
        for page in pages(window, name):
            settle(app, 0.35)
            shot = window if options.whole else window.docks[name].widget()
            name_of = "-".join(part for part in (prefix, name, page) if part)
            shot.grab().save(str(Path(options.folder) / f"{name_of}.png"))
    cut = [
        f"{tabs.objectName() or 'panels'}: {tabs.tabText(index)}"
        for tabs in window.findChildren(QTabBar)
        if tabs.isVisible()
        for index in range(tabs.count())
        if tabs.tabRect(index).right() > tabs.width()
    ]
    print("tabs out of sight:", cut)
    window.close_without_asking()
    window.deleteLater()
    settle(app, 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--theme", default="light")
    parser.add_argument("--size", default="1280x800")
    parser.add_argument("--points", type=float, default=0.0, help="size of the system's letters")
    parser.add_argument("--panels", default="", help="names, separated by commas")
    parser.add_argument("--whole", action="store_true", help="the whole window each time")
    parser.add_argument("--empty", action="store_true", help="with nothing run")
    options = parser.parse_args()
    Path(options.folder).mkdir(parents=True, exist_ok=True)
    app = starting.application(["photograph"])
    if options.points:
        font = app.font()
        font.setPointSizeF(options.points)
        app.setFont(font)
    photograph(app, MatmulEngine("gpu"), options, "")
    if not options.empty and (not options.panels or "sweep" in options.panels.split(",")):
        photograph(app, SweepEngine(), options, "")


if __name__ == "__main__":
    main()
