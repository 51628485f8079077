"""How a sweep came to its best: every config as a point, the best so far as a stair."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolTip

from playground.model.sweep_views import Convergence, convergence
from playground.ui.views.formatting import time_text
from playground.ui.views.log_axis import ReadableAxis
from playground.ui.views.plot_style import ThemedPlot
from playground.ui.views.sweep_scene import Scene, row_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from playground.model.sweep_views import Improvement
    from playground.ui.theme import Theme

NEAR_SHARE = 0.02


class ConvergencePlot(ThemedPlot):
    """Time over configs measured, or over seconds; `rowPicked` carries the row of a point."""

    rowPicked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._y = ReadableAxis("left", lambda value: time_text(value))
        super().__init__("sweep.convergence", "Best time so far", theme, parent, {"left": self._y})
        self.found = Convergence()
        self.by_seconds = False
        self._scene = Scene()
        self.points: Any = None
        self.recolour()

    def show_scene(self, scene: Scene) -> None:
        """Draw another state of the sweep."""
        self._scene = scene
        self.found = convergence(scene.rows)
        self._draw()

    def show_by(self, *, seconds: bool) -> None:
        """Draw over seconds, or over configs measured."""
        self.by_seconds = seconds
        self._draw()

    def recolour(self) -> None:
        """Redraw in the theme's colours."""
        super().recolour()
        self._draw()

    def summary(self) -> str:
        """Return when the sweep was near its best, in one line."""
        near, last = self.found.within(NEAR_SHARE), self.found.points[-1:]
        if near is None or not last:
            return "Nothing was timed yet"
        text = f"Within {NEAR_SHARE * 100:.0f} % of the best after {near.measured} of "
        text += f"{self.found.measured} timed configs"
        if self.found.has_seconds and near.at_s is not None and last[0].at_s is not None:
            text += f" ({near.at_s:.1f} s); the best came after {last[0].measured}"
            text += f" ({last[0].at_s:.1f} s)"
        return text

    def _x(self, item: Improvement) -> float:
        if self.by_seconds and item.at_s is not None:
            return item.at_s
        return float(item.measured)

    def _draw(self) -> None:
        self.item.clear()
        self.points = None
        seconds = self.by_seconds and self.found.has_seconds
        self.label_axes("time", "seconds" if seconds else "configs timed")
        every = self.found.timed
        if not every or not hasattr(self, "_scene"):
            return
        xs = np.array([self._x(item) for item in every])
        ys = np.array([self._y.at(item.row.median_ms or 1.0) for item in every])
        size = self.fontMetrics().height() * 0.5
        improved = {item.measured for item in self.found.points}
        stair_x = [self._x(item) for item in self.found.points] + [float(xs[-1])]
        stair_y = [self._y.at(item.row.median_ms or 1.0) for item in self.found.points]
        self.item.plot(
            np.repeat(stair_x, 2)[1:-1], np.repeat(stair_y, 2), pen=self.pen("accent", 2.0)
        )
        # Two items of one look each: a look a point takes several times longer to draw.
        for best in (False, True):
            chosen = [i for i, item in enumerate(every) if (item.measured in improved) is best]
            points = pg.ScatterPlotItem(
                x=xs[chosen], y=ys[chosen], size=size * (1.25 if best else 0.8),
                brush=self.tint("accent", 1.0) if best else self.tint("muted", 0.45),
                pen=pg.mkPen(self.theme.color("plot_background"), width=0.8),
                data=[every[i] for i in chosen], hoverable=True, hoverPen=self.pen("text", 1.6),
                tip=None,
            )  # fmt: skip
            points.setZValue(6 if best else 5)
            points.sigHovered.connect(self._on_hover)
            points.sigClicked.connect(self._on_click)
            self.item.addItem(points)
            self.points = points
        end = max(float(xs[-1]), 1.0)
        self.setXRange(-0.02 * end if seconds else 0, end * 1.02, padding=0)
        low, high = float(ys.min()), float(ys.max())
        room = max((high - low) * 0.06, 0.01)
        self.setYRange(low - room, high + room, padding=0)
        near_ms = (self.found.points[-1].row.median_ms or 1.0) * (1 + NEAR_SHARE)
        self.item.addItem(
            pg.InfiniteLine(math.log10(near_ms), angle=0, pen=self.pen("muted", 1.0, dashed=True))
        )
        self.setAccessibleDescription(self.summary())

    def _on_hover(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if not len(points):
            QToolTip.hideText()
            return
        item: Improvement = points[0].data()
        when = f", after {item.at_s:.1f} s" if item.at_s is not None else ""
        QToolTip.showText(
            QCursor.pos(), f"number {item.measured}{when}\n{row_words(item.row, self._scene)}", self
        )

    def _on_click(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if len(points):
            self.rowPicked.emit(points[0].data().row)
