"""Problem-size curves as lines: intervals shaded, failures marked, every point its own row."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QCursor, QPen
from PySide6.QtWidgets import QToolTip

from playground.model.problem_sizes import size_text
from playground.ui.views.curve_series import SPEED_UP, row_text, value_text
from playground.ui.views.formatting import time_unit
from playground.ui.views.log_axis import ReadableAxis, plain_tick
from playground.ui.views.plot_style import ThemedPlot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from playground.model.curve import Curve
    from playground.ui.theme import Theme
    from playground.ui.views.curve_series import Series

SYMBOLS = ("o", "s", "t1", "d", "p", "h", "star", "t")
_DASHES: tuple[list[float], ...] = ([], [5.0, 3.0], [1.5, 2.5], [7.0, 2.5, 1.5, 2.5])


@dataclass(frozen=True)
class Look:
    """How one series is drawn: colour, symbol and dash, so that no pair differs by colour alone."""

    colour: QColor
    symbol: str
    dash: tuple[float, ...]


def looks(theme: Theme, count: int, *, ordered: bool, rivals: Sequence[bool] = ()) -> list[Look]:
    """Return looks for `count` series; `ordered` ones run through the map of amounts.

    `rivals` marks those that are no config of the kernel: they are dashed.
    """
    if ordered:
        entries = theme.sequential_colormap(64)
        # The end that would drown in the ground is left out.
        low, high = (14, 63) if theme.is_dark else (0, 50)
        places = [round(low + (high - low) * i / max(count - 1, 1)) for i in range(count)]
        return [
            Look(QColor(*entries[place]), SYMBOLS[i % len(SYMBOLS)], ())
            for i, place in enumerate(places)
        ]
    found = []
    for index in range(count):
        turn = index // 8 + (1 if index < len(rivals) and rivals[index] else 0)
        found.append(
            Look(
                theme.color(f"plot_{index % 8 + 1}"), SYMBOLS[index % len(SYMBOLS)],
                tuple(_DASHES[turn % len(_DASHES)]),
            )
        )  # fmt: skip
    return found


def pen_of(look: Look, width: float) -> QPen:
    """Return the pen of a series' line."""
    pen: QPen = pg.mkPen(look.colour, width=width)
    if look.dash:
        pen.setDashPattern(list(look.dash))
    return pen


class CurvesPlot(ThemedPlot):
    """One line a series; `linePicked` carries the label of the line whose point was clicked."""

    linePicked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._x = ReadableAxis("bottom", lambda value: size_text(round(value)))
        self._y = ReadableAxis("left", plain_tick)
        super().__init__(
            "curves.plot", "Times over problem sizes", theme, parent,
            {"bottom": self._x, "left": self._y},
        )  # fmt: skip
        self._curve: Curve | None = None
        self._series: tuple[Series, ...] = ()
        self._quantity, self._log_y = "ms", True
        self._rivals: tuple[bool, ...] = ()
        self._ordered = False
        self._title = ""
        self._hidden: frozenset[str] = frozenset()
        self.scatters: list[Any] = []
        self.recolour()

    def show_curve(
        self,
        curve: Curve | None,
        series: Sequence[Series],
        quantity: str,
        *,
        log_y: bool,
        rivals: Sequence[bool] = (),
        ordered: bool = False,
        title: str = "",
    ) -> None:
        """Draw `series` of `curve`."""
        self._curve, self._series, self._quantity = curve, tuple(series), quantity
        self._title = title
        self._log_y, self._rivals, self._ordered = log_y, tuple(rivals), ordered
        self._draw()

    def hide_lines(self, titles: frozenset[str]) -> None:
        """Draw all series but those of these titles; the others keep their looks."""
        if titles != self._hidden:
            self._hidden = titles
            self._draw()

    def recolour(self) -> None:
        """Redraw in the theme's colours."""
        super().recolour()
        self._draw()

    def looks(self) -> list[Look]:
        """Return how the series are drawn, for a legend."""
        return looks(self.theme, len(self._series), ordered=self._ordered, rivals=self._rivals)

    # ------------------------------------------------------------------------------ drawing

    def _draw(self) -> None:
        self.item.clear()
        self.scatters = []
        curve = self._curve
        if curve is None:
            self.label_axes("time", "problem size")
            return
        sizes = curve.axes[0].values
        log_x = sizes[-1] > 4 * max(sizes[0], 1) and not _evenly(sizes)
        self._x.show_scale(
            log=log_x, exact=sizes, text=lambda value: size_text(round(value), sizes[-1])
        )
        self._y.show_scale(log=self._log_y, text=self._tick_text())
        self._fit(curve, sizes)
        for series, look in zip(self._series, self.looks(), strict=True):
            if series.title not in self._hidden:
                self._draw_series(series, look)
        if self._quantity.startswith(SPEED_UP):
            self.item.addItem(
                pg.InfiniteLine(self._y.at(1.0), angle=0, pen=self.pen("muted", 1.0, dashed=True))
            )
        self.label_axes(self._title or "time", curve.axes[0].name)
        self.setAccessibleDescription(self._in_words(curve))

    def _tick_text(self) -> Any:
        if self._quantity == "ms":
            return _time_tick
        if self._quantity.startswith(SPEED_UP):
            return lambda value: f"{value:.3g}×"
        return plain_tick

    def _fit(self, curve: Curve, sizes: tuple[int, ...]) -> None:
        """Set the ranges; x from the sizes asked for, so that points come in where they belong."""
        low, high = self._x.at(sizes[0]), self._x.at(sizes[-1])
        room = (high - low) * 0.03 or max(abs(low) * 0.05, 0.1)
        self.setXRange(low - room, high + room, padding=0)
        points = [
            point for series in self._series for point in series.points
            if series.title not in self._hidden
        ]  # fmt: skip
        if not points:
            self.setYRange(0, 1, padding=0)
            return
        bottom = min(min(point.low for point in points), min(point.value for point in points))
        top = max(max(point.high for point in points), max(point.value for point in points))
        if self._log_y:
            bottom, top = math.log10(max(bottom, 1e-12)), math.log10(max(top, 1e-12))
            # Noise alone must not fill the height.
            least = 0.12 if self._quantity.startswith(SPEED_UP) else 0.3
            if top - bottom < least:
                middle = (top + bottom) / 2
                bottom, top = middle - least / 2, middle + least / 2
        else:
            bottom = 0.0
        room = (top - bottom) * 0.06
        shown = (bottom - (room if self._log_y else 0.0), top + room)
        self.setYRange(*shown, padding=0)

    def _draw_series(self, series: Series, look: Look) -> None:
        points = series.points
        if points:
            x = np.array([self._x.at(point.x) for point in points])
            y = np.array([self._y.at(point.value) for point in points])
            self._shade(series, x, look)
            self.item.plot(x, y, pen=pen_of(look, 1.8))
        size = self.fontMetrics().height() * 0.5
        scatter = pg.ScatterPlotItem(
            size=size, hoverable=True, hoverSize=size * 1.5, tip=None, symbol=look.symbol,
            pen=pg.mkPen(self.theme.color("plot_background"), width=1), brush=look.colour,
            hoverPen=self.pen("text", 1.6),
        )  # fmt: skip
        scatter.setData(
            [
                {
                    "pos": (self._x.at(point.x), self._y.at(point.value)),
                    "data": (point.row, series.title),
                }
                for point in points
            ]
            + [
                {
                    "pos": (self._x.at(dict(row.sizes)[self._name()]), self._floor()),
                    "data": (row, series.title),
                    "symbol": "x", "brush": self.tint("bad", 1.0), "pen": self.pen("bad", 1.0),
                }
                for row in series.failed
            ]
        )  # fmt: skip
        scatter.setZValue(10)
        scatter.sigHovered.connect(self._on_hover)
        scatter.sigClicked.connect(self._on_click)
        self.scatters.append(scatter)
        self.item.addItem(scatter)

    def _shade(self, series: Series, x: np.ndarray, look: Look) -> None:
        if len(series.points) < 2:
            return
        low = np.array([self._y.at(point.low) for point in series.points])
        high = np.array([self._y.at(point.high) for point in series.points])
        fill = QColor(look.colour)
        fill.setAlphaF(0.25)
        invisible = QPen(Qt.PenStyle.NoPen)
        band = pg.FillBetweenItem(
            pg.PlotDataItem(x, low, pen=invisible), pg.PlotDataItem(x, high, pen=invisible),
            brush=fill,
        )  # fmt: skip
        band.setZValue(-5)
        self.item.addItem(band)

    def _name(self) -> str:
        return self._curve.axes[0].name if self._curve is not None else ""

    def _floor(self) -> float:
        low, high = self.item.viewRange()[1]
        return float(low + (high - low) * 0.03)

    def _in_words(self, curve: Curve) -> str:
        texts = []
        for series in self._series:
            if series.points:
                last = series.points[-1]
                value = value_text(last.value, self._quantity, curve)
                texts.append(f"{series.title}: {value} at {size_text(last.x)}")
        return f"{curve.kernel} over {curve.axes[0].name}. " + "; ".join(texts)

    # ------------------------------------------------------------------------------ pointing

    def _on_hover(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if not len(points) or self._curve is None:
            QToolTip.hideText()
            return
        row, title = points[0].data()
        QToolTip.showText(
            QCursor.pos(), row_text(self._curve, row, self._quantity, title), self
        )  # fmt: skip

    def _on_click(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if len(points):
            self.linePicked.emit(points[0].data()[0].line)


def _time_tick(time_ms: float) -> str:
    if time_ms <= 0:
        return "0"
    unit, factor = time_unit(time_ms * 1.0001)  # a tick at 1 µs is no 1000 ns
    return f"{time_ms * factor:.3g} {unit}"


def _evenly(sizes: tuple[int, ...]) -> bool:
    """Tell whether sizes are a linear range: steps that differ by rounding only."""
    steps = [b - a for a, b in itertools.pairwise(sizes)]
    return bool(steps) and max(steps) - min(steps) <= 1
