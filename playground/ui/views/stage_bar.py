"""The times of the compiler's stages as one bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from playground.ui.views.formatting import time_text

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from playground.model.compiling import StageTime
    from playground.ui.theme import Theme


class StageBar(QWidget):
    """One segment a stage, as wide as its share of the time; names where they fit, all as tips."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compiler.stages")
        self._theme = theme
        self._times: tuple[StageTime, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_times(self, times: tuple[StageTime, ...]) -> None:
        """Show other times."""
        self._times = times
        self.setAccessibleName(
            "Stage times: " + ", ".join(f"{t.stage} {time_text(t.time_ms)}" for t in times)
        )
        self.update()

    def sizeHint(self) -> QSize:
        """Return one line high."""
        height = self.fontMetrics().height()
        return QSize(height * 14, round(height * 1.5))

    def minimumSizeHint(self) -> QSize:
        """Return a width at which segments can be told apart."""
        height = self.fontMetrics().height()
        return QSize(height * 6, round(height * 1.5))

    def _segments(self) -> list[tuple[StageTime, QRectF]]:
        total = sum(time.time_ms for time in self._times)
        if total <= 0:
            return []
        x, segments = 0.5, []
        for time in self._times:
            width = (self.width() - 1) * time.time_ms / total
            segments.append((time, QRectF(x, 0.5, width, self.height() - 1)))
            x += width
        return segments

    def event(self, event: QEvent) -> bool:
        """Tell the stage under the cursor."""
        if isinstance(event, QHelpEvent):
            for time, area in self._segments():
                if area.contains(event.pos()):
                    QToolTip.showText(
                        event.globalPos(), f"{time.stage}: {time_text(time.time_ms)}", self
                    )
                    return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the segments."""
        painter = QPainter(self)
        metrics = self.fontMetrics()
        for index, (time, area) in enumerate(self._segments()):
            ground = QColor(self._theme.color(f"plot_{index % 8 + 1}"))
            ground.setAlphaF(0.38)
            painter.fillRect(area, ground)
            for text in (f"{time.stage} {time_text(time.time_ms)}", time.stage):
                if metrics.horizontalAdvance(text) + 8 < area.width():
                    painter.setPen(self._theme.color("text"))
                    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
                    break
            painter.setPen(QPen(self._theme.color("plot_background"), 1))
            painter.drawLine(area.topRight(), area.bottomRight())
        painter.setPen(QPen(self._theme.color("border"), 1))
        painter.drawRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1))
