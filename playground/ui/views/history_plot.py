"""The configs tried, in order, with their intervals: hover tells which, a click goes back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolTip

from playground.ui.views.formatting import CACHE_TEXT, floor_text, measurement_text, time_unit
from playground.ui.views.plot_style import DrawnPlot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QWidget

    from playground.model.config import Config
    from playground.model.measurement import Measurement
    from playground.ui.theme import Theme


class HistoryPlot(DrawnPlot):
    """One point a measurement with its 95 % interval; the current config's are filled.

    `configPicked` carries the config of the point clicked.
    """

    configPicked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("timings.history", "History of the configs tried", theme, parent)
        self._items: tuple[Measurement, ...] = ()
        self._baseline: Measurement | None = None
        self._current: Config | None = None
        self._rejected: set[int] = set()
        self._floor: float | None = None
        self.recolour()

    def show_history(
        self,
        items: Sequence[Measurement],
        baseline: Measurement | None,
        current: Config | None,
        rejected: Callable[[Measurement], bool] = lambda _item: False,
        floor: float | None = None,
    ) -> None:
        """Draw measurements in the order taken; those `rejected` are crossed and never fastest.

        The noise floor is a band around the baseline, or around the fastest where none is pinned.
        """
        self._floor = floor
        self._items, self._baseline, self._current = tuple(items), baseline, current
        self._rejected = {index for index, item in enumerate(self._items) if rejected(item)}
        self.redraw()

    def draw(self) -> None:
        """Draw what is shown."""
        if not self._items:
            self.label_axes("time", "configs tried")
            return
        good = [item for n, item in enumerate(self._items) if n not in self._rejected]
        best = min((item.median_ms for item in good), default=None)
        unit, factor = time_unit(min(item.median_ms for item in self._items))
        x = np.arange(1, len(self._items) + 1)
        y = np.array([item.median_ms * factor for item in self._items])
        low = y - np.array([item.interval_ms[0] * factor for item in self._items])
        high = np.array([item.interval_ms[1] * factor for item in self._items]) - y
        self.item.plot(x, y, pen=pg.mkPen(self.tint("plot_1", 0.35), width=1))
        known = (low > 0) | (high > 0)
        if known.any():
            bars = pg.ErrorBarItem(
                x=x[known], y=y[known], top=high[known], bottom=low[known],
                beam=min(0.25, 0.03 * (len(x) + 1)), pen=self.pen("plot_1", 1.2),
            )  # fmt: skip
            self.item.addItem(bars)
        middle_ms = self._baseline.median_ms if self._baseline is not None else best
        edges: tuple[float, ...] = ()
        if self._floor and middle_ms is not None:
            edges = (
                middle_ms * factor / (1 + self._floor), middle_ms * factor * (1 + self._floor)
            )  # fmt: skip
            self.band((edges[0], edges[1]), "muted", 0.22)
        if self._baseline is not None:
            edges = (*edges, self._baseline.median_ms * factor)
            self.level(self._baseline.median_ms * factor, "baseline", "muted", dashed=True)
        size = self.fontMetrics().height() * 0.62
        self.points = pg.ScatterPlotItem(
            size=size, hoverable=True, hoverSize=size * 1.4, tip=None,
            hoverPen=self.pen("text", 2.0),
        )  # fmt: skip
        self.points.setData(
            [
                {
                    "pos": (float(x[index]), float(y[index])),
                    "data": item,
                    **self._look(index, item, item.median_ms == best, size),
                }
                for index, item in enumerate(self._items)
            ]
        )  # fmt: skip
        self.points.sigHovered.connect(self._on_hover)
        self.points.sigClicked.connect(self._on_click)
        self.item.addItem(self.points)
        below = f", noise {floor_text(self._floor)}" if edges and self._floor else ""
        left = ", ".join(filter(None, (unit, CACHE_TEXT[self._items[-1].cache])))
        self.label_axes(left, f"configs in order{below}")
        # Room at the right keeps the label of the baseline clear of the last point.
        self.setXRange(0.5, len(self._items) + 0.5 + 0.14 * (len(self._items) + 1), padding=0)
        bottom = min(float((y - low).min()), *edges, np.inf)
        top = max(float((y + high).max()), *edges, -np.inf)
        room = (top - bottom) * 0.12 or abs(top) * 0.1
        self.setYRange(bottom - room, top + room, padding=0)
        ticks = [(int(value), str(int(value))) for value in x]
        while len(ticks) > 12:
            ticks = ticks[::2]
        self.item.getAxis("bottom").setTicks([ticks])
        text = f"{len(self._items)} configs tried"
        if good:
            fastest = min(good, key=lambda item: item.median_ms)
            text += f"; fastest {fastest.config.label()}: {measurement_text(fastest)}"
        if self._floor:
            text += f"; differences under {floor_text(self._floor)} mean nothing"
        self.setAccessibleDescription(text)

    def _look(self, index: int, item: Measurement, best: bool, size: float) -> dict[str, Any]:
        """Return how a point looks; colour is never the only difference."""
        current = item.config == self._current
        if index in self._rejected:
            return {
                "symbol": "x", "size": size, "brush": self.tint("bad", 1.0 if current else 0.6),
                "pen": self.pen("bad", 1.0),
            }  # fmt: skip
        return {
            "symbol": "star" if best else "o",
            "size": size * (1.5 if best else 1.0),
            "brush": self.tint("plot_2" if current else "plot_background", 1.0),
            "pen": self.pen("plot_2" if current else "plot_1", 1.8),
        }

    def _on_hover(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if not len(points):
            QToolTip.hideText()
            return
        measurement: Measurement = points[0].data()
        text = f"{measurement.config.label()}\n{measurement_text(measurement)}"
        if measurement in (self._items[index] for index in self._rejected):
            text += "\nwrong, or cannot be launched: its time is worth nothing"
        QToolTip.showText(QCursor.pos(), text, self)

    def _on_click(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if len(points):
            self.configPicked.emit(points[0].data().config)
