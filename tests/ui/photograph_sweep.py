"""Photographs every view of the sweep panel: `python -m tests.ui.photograph_sweep FOLDER [THEME]`.

For looking at them after a change, on made-up numbers (`recorded_sweep`). QT_SCALE_FACTOR=2
photographs at twice the scale.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from playground.model.resources import kernels_dir
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.sweep import PAGES, SweepView
from tests.ui.recorded_sweep import LARGE_SPACE, SPACE
from tests.ui.sweep_engine import SweepEngine

SIZES = {"small": (484, 318), "usual": (606, 432), "large": (1000, 760)}
"""The panel as it stands in a window of 1280x800 and of 1600x1000, and floating."""


def settle(app: QApplication, seconds: float = 0.3) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)


def photograph(app: QApplication, theme_name: str, folder: Path) -> None:
    theme = Theme(theme_name)  # type: ignore[arg-type]
    theme.apply(app)
    engine = SweepEngine()
    engine.start()
    document = Document(engine)
    view = SweepView(document, theme)
    settle(app)
    document.open_file(str(Path(kernels_dir()) / "matmul.py"))
    document.run()
    settle(app, 0.4)

    def shoot(name: str, sizes: tuple[str, ...] = tuple(SIZES)) -> None:
        for size in sizes:
            view.resize(*SIZES[size])
            view.show()
            settle(app, 0.15)
            view.grab().save(str(folder / f"{theme_name}-{name}-{size}.png"))

    sweep = document.sweep
    for name, values in SPACE.items():
        sweep.set_values(name, ", ".join(map(str, values)))
    shoot("setup")
    sweep.set_choice(where="BLOCK_M * BLOCK_N <= 32768\nBLOCK_X > 1 and num_warps")
    sweep.set_values("num_warps", "4, 7")
    sweep.set_size("m", "1024..8192")
    sweep.set_size("n", "1024, 2048")
    shoot("setup-wrong", ("usual", "large"))
    sweep.set_choice(where="", sizes=())
    sweep.set_values("num_warps", "4, 8")
    engine.hold = True
    sweep.start()
    settle(app, 0.1)
    engine.release(1)
    shoot("running", ("small", "usual"))
    sweep.pause()
    shoot("paused", ("usual",))
    engine.hold = False
    engine.release()
    settle(app, 0.4)
    for name, _, _ in PAGES:
        if name != "sizes":
            view.show_view(name)
            shoot(name)
    sweep.past.compare(3, 7)
    settle(app)
    view.show_view("compare")
    shoot("compare-done")
    view._actions.show_table(True)
    shoot("compare-table", ("usual",))
    view._actions.show_table(False)
    for name in ("m", "n", "k"):
        sweep.set_size(name, "1024, 2048, 4096, 8192")
    sweep.start()
    settle(app, 0.6)
    view.show_view("sizes")
    shoot("sizes")
    view._actions.show_table(True)
    shoot("sizes-table", ("usual",))
    view._actions.show_table(False)
    sweep.set_choice(sizes=())
    for name, values in LARGE_SPACE.items():
        sweep.set_values(name, ", ".join(map(str, values)))
    sweep.set_choice(strategy="exhaustive")
    sweep.start()
    settle(app, 0.8)
    for name in ("heat", "parallel", "importance", "convergence"):
        view.show_view(name)
        shoot(f"thousand-{name}", ("usual", "large"))
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
        photograph(app, theme_name, folder)


if __name__ == "__main__":
    main()
