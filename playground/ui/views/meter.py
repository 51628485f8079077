"""A bar that shows an amount against a limit, with its text inside or beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from playground.ui.theme import Theme
    from playground.ui.views.marks import Tone


class Meter(QWidget):
    """Draws `share` of a limit (1 is at the limit; over it the bar is full and hatched).

    `ghost` marks the share of the baseline.
    """

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._theme = theme
        self._share = 0.0
        self._ghost: float | None = None
        self._text = ""
        self._tone: Tone = "accent"
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        """The amount in words."""
        return self._text

    def show_share(
        self, share: float, text: str, tone: Tone = "accent", ghost: float | None = None
    ) -> None:
        """Show `share` of the limit and what it means in words."""
        self._share, self._text, self._tone, self._ghost = share, text, tone, ghost
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.update()

    def sizeHint(self) -> QSize:
        """Return one line of text high, and room for a short sentence."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 24, round(metrics.height() * 1.5))

    def minimumSizeHint(self) -> QSize:
        """Return a width the bar can still be read at."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 12, round(metrics.height() * 1.5))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = area.height() * 0.25
        tone = self._theme.color(self._tone)
        painter.setPen(QPen(self._theme.color("border"), 1))
        painter.setBrush(self._theme.color("plot_background"))
        painter.drawRoundedRect(area, radius, radius)
        fill = QColor(tone)
        fill.setAlphaF(0.42)
        painter.save()
        filled = QRectF(area)
        filled.setWidth(area.width() * min(max(self._share, 0.0), 1.0))
        painter.setClipRect(filled)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(area, radius, radius)
        if self._share > 1.0:
            hatch = QColor(tone)
            hatch.setAlphaF(0.8)
            painter.fillRect(area, hatch)
            painter.setBrush(Qt.BrushStyle.BDiagPattern)
        painter.restore()
        if self._ghost is not None:
            x = area.left() + area.width() * min(max(self._ghost, 0.0), 1.0)
            pen = QPen(self._theme.color("muted"), 2, Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawLine(round(x), round(area.top()), round(x), round(area.bottom()))
        painter.setPen(self._theme.color("text"))
        inset = self.fontMetrics().height() * 0.5
        inside = area.adjusted(inset, 0, -inset, 0)
        text = self.fontMetrics().elidedText(
            self._text, Qt.TextElideMode.ElideRight, int(inside.width())
        )
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
