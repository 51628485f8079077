"""Figures of an experiment whose cases have names: each a line of text and a bar under it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.views.log_axis import plain_tick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.model.experiment import ExperimentResult, Plot
    from playground.ui.theme import Theme


@dataclass(frozen=True)
class Bar:
    """One case: its name, the figure measured, and the one beside it, if there is one."""

    name: str
    value: float | None
    other: float | None = None


def bars_of(result: ExperimentResult, other: ExperimentResult | None, plot: Plot) -> list[Bar]:
    """Return the cases of a result, with another machine's figure where it has the same case."""
    beside = _figures(other, plot) if other is not None else {}
    return [Bar(name, value, beside.get(name)) for name, value in _figures(result, plot).items()]


def _figures(result: ExperimentResult, plot: Plot) -> dict[str, float | None]:
    names, values = result.figures.column(plot.along), result.figures.column(plot.value)
    return {
        str(name): float(value) if isinstance(value, (int, float)) else None
        for name, value in zip(names, values, strict=True)
    }


class ExperimentBars(QWidget):
    """Bars one under the other, longer is more, with a dashed line where the rule draws one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("experiments.bars")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.theme = theme
        self._bars: tuple[Bar, ...] = ()
        self._plot: Plot | None = None
        theme.changed.connect(self.update)

    def show_bars(self, bars: Sequence[Bar], plot: Plot) -> None:
        """Draw the cases of a result."""
        self._bars, self._plot = tuple(bars), plot
        said = "; ".join(f"{bar.name}: {_text(bar.value)}" for bar in self._bars)
        self.setAccessibleName(f"{plot.value} by case")
        self.setAccessibleDescription(said)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size at which every case has room."""
        line = self.fontMetrics().height()
        return QSize(24 * line, round(line * (2.1 * max(len(self._bars), 1) + 1.6)))

    def minimumSizeHint(self) -> QSize:
        """Return the height of all cases: a page around it scrolls."""
        return QSize(10 * self.fontMetrics().height(), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw names, figures, bars and the rule's line."""
        plot = self._plot
        if plot is None or not self._bars:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = self.fontMetrics().height()
        left, right = line * 0.4, self.width() - line * 0.4
        row = min((self.height() - 1.6 * line) / len(self._bars), 2.6 * line)
        for place, bar in enumerate(self._bars):
            self._paint(painter, bar, QRectF(left, place * row, right - left, row), plot)
        if plot.level is not None:
            self._paint_level(painter, plot, left, right, row * len(self._bars))

    def _paint(self, painter: QPainter, bar: Bar, area: QRectF, plot: Plot) -> None:
        line = self.fontMetrics().height()
        text = QRectF(area.left(), area.top(), area.width(), line * 1.2)
        value = _text(bar.value)
        if bar.other is not None:
            value += f"  ({_text(bar.other)})"
        width = self.fontMetrics().horizontalAdvance(value)
        name = self.fontMetrics().elidedText(
            bar.name, Qt.TextElideMode.ElideRight, round(area.width() - width - line)
        )
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self.theme.color("text"))
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | middle, name)
        painter.drawText(text, Qt.AlignmentFlag.AlignRight | middle, value)
        top, height = text.bottom(), line * 0.42
        ground = QRectF(area.left(), top, area.width(), height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.color("hover"))
        painter.drawRoundedRect(ground, height / 2, height / 2)
        if bar.value is not None:
            painter.setBrush(self.theme.color("plot_1"))
            reach = max(self._share(bar.value, plot), 0.0) * area.width()
            painter.drawRoundedRect(
                QRectF(ground.left(), top, max(reach, height), height), height / 2, height / 2
            )
        if bar.other is not None:
            x = area.left() + self._share(bar.other, plot) * area.width()
            painter.setPen(QPen(self.theme.color("text"), 2))
            painter.drawLine(QLineF(x, top - line * 0.12, x, top + height + line * 0.12))

    def _paint_level(
        self, painter: QPainter, plot: Plot, left: float, right: float, bottom: float
    ) -> None:
        line = self.fontMetrics().height()
        colour = QColor(self.theme.color("plot_2"))
        x = left + self._share(plot.level or 0.0, plot) * (right - left)
        pen = QPen(colour, 1.5)
        pen.setDashPattern([4.0, 3.0])
        painter.setPen(pen)
        row = bottom / len(self._bars)
        for place in range(len(self._bars)):  # under each name, not through it
            painter.drawLine(QLineF(x, place * row + line * 1.1, x, place * row + line * 1.8))
        width = self.fontMetrics().horizontalAdvance(plot.level_name)
        start = min(max(x - width / 2, left), right - width)
        painter.drawText(
            QRectF(start, bottom, width + 2, line * 1.4), Qt.AlignmentFlag.AlignCenter,
            plot.level_name,
        )  # fmt: skip

    def _share(self, value: float, plot: Plot) -> float:
        """Return how far along its row a figure reaches."""
        known = [v for bar in self._bars for v in (bar.value, bar.other) if v is not None]
        known += [plot.level] if plot.level is not None else []
        most = max(known, default=1.0) * 1.04
        if not plot.logarithmic or value <= 0:
            return min(value / most, 1.0) if most > 0 else 0.0
        least = min(min((v for v in known if v > 0), default=1.0), 1.0)
        span = math.log(most / least)
        return min(math.log(value / least) / span, 1.0) if span > 0 else 1.0


def _text(value: float | None) -> str:
    return "not measured" if value is None else plain_tick(value)
