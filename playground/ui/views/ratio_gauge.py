"""A ratio of two times with its interval, drawn against the band in which nothing is meant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.views.formatting import floor_text, ratio_text

if TYPE_CHECKING:
    from playground.ui.theme import Theme
    from playground.ui.views.marks import Tone

_REACHES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0, 9.0, 99.0)
"""Ends of the axis, as a change to the slow side; few, so that it rarely moves."""


class RatioGauge(QWidget):
    """Draws how much time one thing takes of another's: left of the middle is less."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._theme = theme
        self._tone: Tone = "muted"
        self._values: tuple[float, float, float] | None = None
        self._floor: float | None = None
        self._middle = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def reach(self) -> float:
        """The change at the axis' right end."""
        farthest = [math.log1p(self._floor or 0.0) * 1.6]
        farthest += [abs(math.log(value)) * 1.1 for value in self._values or () if value > 0]
        wanted = max(farthest)
        return next((each for each in _REACHES if math.log1p(each) >= wanted), _REACHES[-1])

    def show_ratio(
        self,
        values: tuple[float, float, float] | None,
        floor: float | None,
        middle: str,
        tone: Tone = "muted",
    ) -> None:
        """Show a ratio with its interval (ratio, low, high), or nothing but the band.

        `middle` names what stands at a ratio of one.
        """
        self._values, self._floor, self._middle, self._tone = values, floor, middle, tone
        text = middle
        if values is not None:
            ratio, low, high = values
            text = (
                f"time {ratio_text(ratio)} of {middle}, "
                f"95 % interval {ratio_text(low)} to {ratio_text(high)}"
            )
        if floor:
            text += f"; differences under {floor_text(floor)} mean nothing"
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.update()

    def sizeHint(self) -> QSize:
        """Return two lines of text, and room for a short axis."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 30, round(metrics.height() * 2.3))

    def minimumSizeHint(self) -> QSize:
        """Return a width at which the ends can still be read."""
        return QSize(self.fontMetrics().averageCharWidth() * 20, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw band, axis, interval and ratio, and the axis' ends in words."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = self.fontMetrics().height()
        area = QRectF(self.rect()).adjusted(line * 0.5, 1, -line * 0.5, -line * 1.05)
        reach = self.reach
        span = math.log1p(reach)

        def x_of(ratio: float) -> float:
            share = min(max(math.log(max(ratio, 1e-9)) / span, -1.0), 1.0)
            return area.center().x() + share * area.width() / 2

        muted = self._theme.color("muted")
        ground = self._theme.color("plot_background")
        painter.setPen(QPen(self._theme.color("border"), 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(area, 3, 3)
        if self._floor:
            band = QRectF(
                QPointF(x_of(1 / (1 + self._floor)), area.top() + 1),
                QPointF(x_of(1 + self._floor), area.bottom() - 1),
            )
            tint = self._theme.color("muted")
            tint.setAlphaF(0.20)
            painter.fillRect(band, tint)
            tint.setAlphaF(0.35)
            painter.fillRect(band, QBrush(tint, Qt.BrushStyle.BDiagPattern))
        middle = area.center().x()
        painter.setPen(QPen(muted, 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(middle, area.top()), QPointF(middle, area.bottom()))
        if self._values is not None:
            self._draw_value(painter, area, [x_of(value) for value in self._values])
        self._draw_ends(painter, area, reach)

    def _draw_value(self, painter: QPainter, area: QRectF, at: list[float]) -> None:
        x, low, high = at
        y, cap = area.center().y(), area.height() * 0.28
        colour = self._theme.color("plot_2" if self._tone == "muted" else self._tone)
        painter.setPen(QPen(colour, 2.0))
        painter.drawLine(QPointF(low, y), QPointF(high, y))
        for end in (low, high):
            painter.drawLine(QPointF(end, y - cap), QPointF(end, y + cap))
        size = area.height() * 0.3
        painter.setBrush(colour)
        painter.drawPolygon(
            QPolygonF(
                [QPointF(x, y - size), QPointF(x + size, y), QPointF(x, y + size),
                 QPointF(x - size, y)]
            )
        )  # fmt: skip

    def _draw_ends(self, painter: QPainter, area: QRectF, reach: float) -> None:
        painter.setPen(self._theme.color("muted"))
        font = painter.font()
        font.setPointSizeF(max(font.pointSizeF() * 0.9, 6.0))
        painter.setFont(font)
        words = QRectF(
            self.rect().left(), area.bottom() + 1, self.width(), self.height() - area.bottom() - 1
        )
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | top, _end(1 / (1 + reach)))
        painter.drawText(words, Qt.AlignmentFlag.AlignRight | top, _end(1 + reach))
        metrics = painter.fontMetrics()
        room = words.width() - 2 * metrics.horizontalAdvance("+9900 %  ")
        noise = f"noise {floor_text(self._floor)}" if self._floor else ""
        middle = " · ".join(filter(None, (self._middle, noise)))
        if metrics.horizontalAdvance(middle) > room:
            middle = noise or self._middle
        cut = metrics.elidedText(middle, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(words, Qt.AlignmentFlag.AlignHCenter | top, cut)


def _end(ratio: float) -> str:
    """Return an end of the axis: a round figure to the slow side, about as much to the other."""
    share = abs(ratio - 1) * 100
    return f"{'+' if ratio > 1 else '−'}{share:.2g} %" if share < 99.5 else f"+{share:.0f} %"
