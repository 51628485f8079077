"""How long the sweep panel's views take with 1,024 configs.

`python -m tests.benchmarks.sweep_views` prints it.

On a scripted engine and made-up numbers: what counts is the time of the window's thread for each
redraw and for each move of the pointer.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from playground.model.resources import kernels_dir
from playground.ui.document import Document
from playground.ui.theme import Theme
from playground.ui.views.sweep import SweepView
from tests.ui.photograph_sweep import settle
from tests.ui.recorded_sweep import LARGE_SPACE
from tests.ui.sweep_engine import SweepEngine

MOVES = 60


def hovered_ms(picture: QWidget) -> list[float]:
    """Return the time of each of many moves over a picture, drawing included."""
    times = []
    for step in range(MOVES):
        place = QPointF(
            picture.width() * (0.15 + 0.7 * step / MOVES),
            picture.height() * (0.3 + 0.01 * (step % 30)),
        )  # fmt: skip
        event = QMouseEvent(
            QEvent.Type.MouseMove, place, picture.mapToGlobal(place), Qt.MouseButton.NoButton,
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        began = time.perf_counter()
        QApplication.sendEvent(picture, event)
        picture.repaint()
        times.append(1e3 * (time.perf_counter() - began))
    return times


def main() -> None:
    app = QApplication([])
    theme = Theme("light")
    theme.apply(app)
    engine = SweepEngine()
    engine.start()
    document = Document(engine)
    view = SweepView(document, theme)
    view.resize(1000, 760)
    view.show()
    settle(app)
    document.open_file(str(Path(kernels_dir()) / "matmul.py"))
    document.run()
    settle(app)
    for name, values in LARGE_SPACE.items():
        document.sweep.set_values(name, ", ".join(map(str, values)))
    began = time.perf_counter()
    document.sweep.set_choice(where="BLOCK_M * BLOCK_N <= 32768", strategy="exhaustive")
    print(f"count under a condition: {1e3 * (time.perf_counter() - began):.1f} ms")
    document.sweep.set_choice(where="")
    document.sweep.start()
    settle(app, 1.0)
    print(f"{len(document.sweep.rows)} configs")
    pictures = {
        "heat": view.heat.picture, "parallel": view.parallel, "importance": view.importance,
        "convergence": view.convergence, "ranking": view.ranking.table,
    }  # fmt: skip
    for name, picture in pictures.items():
        view.show_view(name)
        settle(app, 0.2)
        redraws = []
        for _ in range(5):
            began = time.perf_counter()
            view._show_rows()
            picture.repaint()
            redraws.append(1e3 * (time.perf_counter() - began))
        line = f"{name:12} redraw of all {statistics.median(redraws):6.1f} ms"
        if name not in ("convergence", "ranking"):
            moves = sorted(hovered_ms(picture))
            line += f", a move {statistics.median(moves):5.2f} ms (95 %: {moves[57]:.2f})"
        print(line)
    began = time.perf_counter()
    view.ranking.filter.setText("num_warps == 8 and ms < 0.5")
    print(f"filter by a condition: {1e3 * (time.perf_counter() - began):.1f} ms")
    document.sweep.past.refresh()
    settle(app)
    began = time.perf_counter()
    document.sweep.apply(document.sweep.rows[5].config)
    print(f"apply a config: {1e3 * (time.perf_counter() - began):.1f} ms")
    view.close()
    document.close()
    engine.shutdown()


if __name__ == "__main__":
    main()
