"""The rounds of a comparison: each one's change of time, and what it comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg

from playground.ui.views.formatting import CACHE_TEXT, floor_text
from playground.ui.views.plot_style import DrawnPlot, names_above

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.model.comparison import Comparison
    from playground.ui.theme import Theme

MOST_BARS = 60


class RoundsPlot(DrawnPlot):
    """One point a round, in order, and their distribution beside them; zero is as fast.

    The grey band is the noise floor, the coloured one the interval of the median.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("compare.rounds", "Change of time in each round", theme, parent)
        self._comparison: Comparison | None = None
        self.beyond = 0
        self.recolour()

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Draw the rounds of `comparison`."""
        self._comparison = comparison
        self.redraw()

    def draw(self) -> None:
        """Draw what is shown."""
        comparison = self._comparison
        if comparison is None or not comparison.rounds:
            self.label_axes("change", "rounds in order")
            return
        change = (np.asarray(comparison.a_ms) / np.asarray(comparison.b_ms) - 1) * 100
        floor = comparison.floor * 100
        low, high = self._range(change, comparison)
        count = len(change)
        if floor:
            self.band((-floor / (1 + comparison.floor), floor), "muted", 0.22)
        self.band(((comparison.low - 1) * 100, (comparison.high - 1) * 100), "plot_2", 0.28)
        self._draw_points(change, low, high)
        self._draw_bars(change, low, high)
        middle = (comparison.ratio - 1) * 100
        above, zero_above = names_above(middle, 0.0, low, high)
        self.level(0.0, "as fast", "muted", dashed=True, above=zero_above)
        self.level(middle, "median", "plot_2", above=above)
        words = "rounds in order, distribution"
        if self.beyond:
            words += f"; {self.beyond} beyond"
        self.label_axes(f"change %, {CACHE_TEXT[comparison.cache]}", words)
        self.setXRange(0, count * 1.95, padding=0.01)
        self.setYRange(low, high, padding=0.04)
        step = max(1, 10 ** (len(str(count)) - 1))
        ticks = [(value, str(value)) for value in range(step, count + 1, step)]
        while len(ticks) > 5:
            ticks = ticks[1::2]
        self.item.getAxis("bottom").setTicks([ticks])
        text = comparison.text()
        if comparison.floor:
            text += f"; differences under {floor_text(comparison.floor)} mean nothing"
        self.setAccessibleDescription(text)

    def _draw_points(self, change: np.ndarray, low: float, high: float) -> None:
        size = self.fontMetrics().height() * 0.3
        x = np.arange(1, len(change) + 1)
        inside = (change >= low) & (change <= high)
        self.beyond = int((~inside).sum())
        self.item.addItem(
            pg.ScatterPlotItem(
                x=x[inside], y=change[inside], size=size, brush=self.tint("plot_1", 0.7), pen=None
            )
        )
        for far, symbol, at in ((change > high, "t1", high), (change < low, "t", low)):
            if far.any():
                self.item.addItem(
                    pg.ScatterPlotItem(
                        x=x[far], y=np.full(int(far.sum()), at), size=size * 2, symbol=symbol,
                        brush=self.tint("warn", 0.9), pen=None,
                    )
                )  # fmt: skip

    def _draw_bars(self, change: np.ndarray, low: float, high: float) -> None:
        count = len(change)
        edges = np.linspace(low, high, min(max(round(2 * count**0.5), 12), MOST_BARS) + 1)
        counts, _ = np.histogram(change, edges)
        start = count * 1.05
        self.item.addItem(
            pg.BarGraphItem(
                x0=np.full(len(counts), start), x1=start + counts * (0.55 * count / counts.max()),
                y0=edges[:-1], y1=edges[1:], brush=self.tint("plot_1", 0.55),
                pen=self.pen("plot_background", 1),
            )
        )  # fmt: skip
        self.item.addItem(pg.PlotDataItem([start, start], [low, high], pen=self.pen("border", 1)))

    @staticmethod
    def _range(change: np.ndarray, comparison: Comparison) -> tuple[float, float]:
        """Return what to show: zero, band and nearly all rounds; a few late ones stand at the edge.

        The ends are round figures, so that they stay where they are while rounds come in.
        """
        low, high = np.percentile(change, [1, 99])
        reach = comparison.floor * 100
        low, high = min(low, -reach, 0.0), max(high, reach, 0.0)
        step = 10.0 ** np.floor(np.log10(max(high - low, 1e-3)))
        step = step / 2 if (high - low) / step < 4 else step
        return float(np.floor(low / step) * step), float(np.ceil(high / step) * step)
