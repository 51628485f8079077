"""Figures of an experiment over a number: a line a case, another machine's beside it, dashed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg

from playground.ui.views.curves_plot import looks, pen_of
from playground.ui.views.log_axis import ReadableAxis, plain_tick
from playground.ui.views.plot_style import ThemedPlot

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.model.experiment import ExperimentResult, Plot
    from playground.ui.theme import Theme
    from playground.ui.views.curves_plot import Look

MOST_SHOWN = 1.6
"""Times over the fastest that are still in view: what is slower than that decides nothing."""


class ExperimentLines(ThemedPlot):
    """`words` names the lines in their order, for a legend."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._x, self._y = ReadableAxis("bottom", plain_tick), ReadableAxis("left", plain_tick)
        super().__init__(
            "experiments.plot", "Figures of the experiment", theme, parent,
            {"bottom": self._x, "left": self._y},
        )  # fmt: skip
        self._result: ExperimentResult | None = None
        self._other: ExperimentResult | None = None
        self._plot: Plot | None = None
        self.words: tuple[str, ...] = ()
        self.recolour()

    def show_lines(
        self, result: ExperimentResult, other: ExperimentResult | None, plot: Plot
    ) -> None:
        """Draw a result, and another one dashed."""
        self._result, self._other, self._plot = result, other, plot
        self._draw()

    def looks(self) -> list[Look]:
        """Return how the lines are drawn."""
        return looks(self.theme, len(self.words), ordered=False)

    def recolour(self) -> None:
        """Redraw in the theme's colours."""
        super().recolour()
        self._draw()

    def _draw(self) -> None:
        self.item.clear()
        result, plot = self._result, self._plot
        if result is None or plot is None:
            self.label_axes("", "")
            return
        self.words = result.figures.words(plot.line)
        exact = sorted({float(x) for x in result.figures.numbers(plot.along)})
        self._x.show_scale(log=plot.logarithmic, exact=exact)
        self._y.show_scale(log=False, text=plain_tick)
        highest = 1.0
        for one, dashed in ((result, False), (self._other, True)):
            if one is not None:
                highest = max(highest, self._draw_lines(one, plot, dashed=dashed))
        if plot.level is not None:
            self.level(plot.level, plot.level_name, "muted", dashed=True)
        if exact:
            low, high = self._x.at(exact[0]), self._x.at(exact[-1])
            pad = 0.04 * (high - low)
            self.setXRange(low - pad, high + pad, padding=0)
        self.setYRange(0.96, min(highest, MOST_SHOWN) + 0.04, padding=0)
        self.label_axes(plot.value, plot.along)
        self.setAccessibleDescription("; ".join(self._said(word) for word in self.words))

    def _draw_lines(self, result: ExperimentResult, plot: Plot, *, dashed: bool) -> float:
        highest = 1.0
        for word, look in zip(self.words, self.looks(), strict=True):
            x, y = self._points(result, plot, word)
            if not len(x):
                continue
            pen = pen_of(look, 1.2 if dashed else 2.0)
            if dashed:
                pen.setDashPattern([4.0, 3.0])
            self.item.plot(
                x, y, pen=pen, symbol=None if dashed else look.symbol, symbolSize=7,
                symbolBrush=look.colour, symbolPen=pg.mkPen(self.theme.color("plot_background")),
            )  # fmt: skip
            highest = max(highest, float(y.max()))
        return highest

    def _points(
        self, result: ExperimentResult, plot: Plot, word: str
    ) -> tuple[np.ndarray, np.ndarray]:
        part = result.figures.where(plot.line, word)
        pairs = [
            (self._x.at(float(x)), float(y))
            for x, y in zip(part.column(plot.along), part.column(plot.value), strict=True)
            if isinstance(x, (int, float)) and isinstance(y, (int, float))
        ]
        return np.array([x for x, _ in pairs]), np.array([y for _, y in pairs])

    def _said(self, word: str) -> str:
        result, plot = self._result, self._plot
        if result is None or plot is None:
            return word
        part = result.figures.where(plot.line, word)
        return f"{word}: " + ", ".join(
            f"{x} {y:.3g}"
            for x, y in zip(part.column(plot.along), part.column(plot.value), strict=True)
            if isinstance(y, (int, float))
        )
