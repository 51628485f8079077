"""Photographs every view on the scripted engines: `python -m tests.ui.photograph_views FOLDER`.

For looking at them after a change: both themes, on a GPU and in the interpreter, empty and full.
QT_SCALE_FACTOR=2 photographs at twice the scale.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from playground.model.resources import kernels_dir
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.compiler import CompilerView
from playground.ui.views.coverage import CoverageView
from playground.ui.views.knobs import KnobsPanel
from playground.ui.views.launches import LaunchesView
from playground.ui.views.schedule import ScheduleView
from playground.ui.views.sweep import SweepView
from playground.ui.views.timings import TimingsView
from tests.ui.fake_engine import FakeEngine
from tests.ui.matmul_engine import MatmulEngine

SIZES = {
    LaunchesView: (560, 330), KnobsPanel: (360, 620), TimingsView: (520, 640),
    CoverageView: (620, 620), ScheduleView: (620, 560), CompilerView: (620, 640),
    SweepView: (760, 620),
}  # fmt: skip


def settle(app: QApplication, seconds: float = 0.25) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)


def shoot(widget: QWidget, folder: Path, name: str) -> None:
    widget.grab().save(str(folder / f"{name}.png"))


def photograph(
    app: QApplication, engine: FakeEngine, theme_name: str, folder: Path, name: str
) -> None:
    theme = Theme(theme_name)  # type: ignore[arg-type]
    theme.apply(app)
    engine.start()
    document = Document(engine)
    views = {cls: cls(document, theme) for cls in SIZES}
    for cls, view in views.items():
        view.resize(*SIZES[cls])
        view.show()
    settle(app)
    if name == "add-gpu":
        for cls, view in views.items():
            shoot(view, folder, f"empty-{cls.__name__}-{theme_name}")
    file = "matmul.py" if isinstance(engine, MatmulEngine) else "vector_add.py"
    document.open_file(str(Path(kernels_dir()) / file))
    document.run()
    settle(app, 0.5)
    block = "BLOCK" if isinstance(engine, MatmulEngine) else "BLOCK_SIZE"
    start = document.config
    document.pin_baseline()
    for value in (64, 256, 512):
        document.set_knob(block, value)
        settle(app, 0.2)
    document.apply_config(start.updated({block: 64 if block == "BLOCK" else 512}))
    settle(app, 0.4)
    for cls, view in views.items():
        shoot(view, folder, f"{name}-{cls.__name__}-{theme_name}")
    # Knobs with a value that can't be; a program highlighted; a sweep; the table twins.
    knobs = views[KnobsPanel]
    spin = knobs.findChild(QWidget, f"knob:{block}")
    spin.setFocus()
    spin.selectAll()
    QTest.keyClicks(spin, "200")
    QTest.keyClick(spin, Qt.Key.Key_Return)
    settle(app)
    shoot(knobs, folder, f"{name}-knobs-invalid-{theme_name}")
    coverage = views[CoverageView]
    coverage.show_program(5)
    settle(app)
    shoot(coverage, folder, f"{name}-coverage-program-{theme_name}")
    if block == "BLOCK":
        coverage.controls.tensor.setCurrentIndex(0)
        settle(app)
        shoot(coverage, folder, f"{name}-coverage-loads-{theme_name}")
        coverage.controls.tensor.setCurrentIndex(3)
        coverage.show_program(None)
        settle(app)
        shoot(coverage, folder, f"{name}-coverage-3d-{theme_name}")
        coverage.controls.tensor.setCurrentIndex(2)
        settle(app)
    coverage.show_program(None)
    canvas = coverage.canvas
    for _ in range(16):
        canvas.zoom(1.25, QPointF(canvas.width() * 0.3, canvas.height() * 0.55))
    settle(app)
    canvas._set_hover(canvas.element_at(QPointF(canvas.width() * 0.5, canvas.height() * 0.5)))
    settle(app)
    shoot(coverage, folder, f"{name}-coverage-zoom-{theme_name}")
    sweep = views[SweepView]
    sweep.head.start.click()
    settle(app, 0.4)
    shoot(sweep, folder, f"{name}-sweep-{theme_name}")
    timings = views[TimingsView]
    timings._pages.setCurrentIndex(1)
    settle(app)
    shoot(timings, folder, f"{name}-timings-table-{theme_name}")
    for view in views.values():
        view.close()
        view.deleteLater()
    document.close()
    engine.shutdown()
    settle(app, 0.05)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    for theme_name in sys.argv[2:] or ("light", "dark"):
        photograph(app, MatmulEngine("gpu"), theme_name, folder, "matmul")
        photograph(app, FakeEngine("gpu"), theme_name, folder, "add-gpu")
        photograph(app, FakeEngine("interpreter"), theme_name, folder, "add-cpu")


if __name__ == "__main__":
    main()
