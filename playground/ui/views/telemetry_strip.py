"""The strip in the status bar: clocks, power, temperature and load now, and their last minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from playground.ui.views.marks import paint_mark
from playground.ui.views.sparkline import paint_sparkline, paint_throttled
from playground.ui.views.telemetry_series import QUANTITIES, Quantity

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.theme import Theme

SECONDS = 60.0
_WIDEST = {"sm": "SM 8888 MHz", "power": "8888 W", "temperature": "888 °C", "use": "busy 100 %",
           "memory": "mem 88888 MHz"}  # fmt: skip
_LINES_FOR_OTHERS = 53
"""Width, in heights of a line, that the status bar's other parts take."""


class TelemetryStrip(QAbstractButton):
    """As many quantities as the window has room for, all in the tooltip; hidden without a GPU.

    It watches while its window can be seen. A click asks for the panel with the last minutes.
    """

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("telemetry.strip")
        self.setAccessibleName("GPU telemetry")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._document, self._theme = document, theme
        self._telemetry = document.telemetry
        self._window: QWidget | None = None
        self._wanted: tuple[Quantity, ...] = QUANTITIES
        document.deviceChanged.connect(self._on_device)
        self._telemetry.changed.connect(self._on_change)
        theme.changed.connect(self.update)
        self._on_device()

    @property
    def shown(self) -> tuple[str, ...]:
        """The ids of the quantities that have room."""
        return tuple(quantity.id for quantity in self._fitting())

    def _fitting(self) -> tuple[Quantity, ...]:
        """Return the quantities that are drawn: each whole, and the first in any case."""
        right, count = 0, 0
        for quantity in self._wanted:
            right += self._width(quantity)
            count += right <= self.width()
        return self._wanted[: max(count, 1)]

    def watch(self, window: QWidget) -> None:
        """Ask while `window` can be seen, and take its width as the measure of the room."""
        self._window = window
        window.installEventFilter(self)
        self._on_window()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look again when the window comes, goes or changes its width."""
        if watched is self._window and event.type() in (
            QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.WindowStateChange, QEvent.Type.Resize,
        ):  # fmt: skip
            self._on_window()
        return False

    def _on_window(self) -> None:
        window = self._window
        if window is None:
            return
        self._telemetry.watch(window.isVisible() and not window.isMinimized())
        room = window.width() - _LINES_FOR_OTHERS * self.fontMetrics().height()
        wanted: list[Quantity] = []
        for quantity in QUANTITIES:
            room -= self._width(quantity)
            if room > 0 or not wanted:
                wanted.append(quantity)
        if tuple(wanted) != self._wanted:
            self._wanted = tuple(wanted)
            self.updateGeometry()
            self.update()

    def _on_device(self) -> None:
        self.setVisible(self._telemetry.available)

    def _on_change(self) -> None:
        state = self._telemetry.latest
        lines = [f"{quantity.title}: {quantity.text(state)}" for quantity in QUANTITIES]
        if state.throttle:
            lines.append(f"Held back by: {state.throttle}")
        self.setAccessibleDescription(", ".join(lines))
        self.setToolTip("\n".join((*lines, "Click for the last five minutes")))
        self.update()

    def _spark(self) -> int:
        return round(self.fontMetrics().height() * 2.2)

    def _width(self, quantity: Quantity) -> int:
        metrics = self.fontMetrics()
        text = metrics.horizontalAdvance(_WIDEST[quantity.id])
        return text + self._spark() + metrics.height()

    def sizeHint(self) -> QSize:
        """Return the room of the quantities wanted at their widest: values move nothing."""
        width = sum(self._width(quantity) for quantity in self._wanted)
        return QSize(width, round(self.fontMetrics().height() * 1.3))

    def minimumSizeHint(self) -> QSize:
        """Return the room of the first quantity: the window is never widened for the others."""
        return QSize(self._width(self._wanted[0]), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw each value with its curve."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.fillRect(self.rect(), self._theme.color("hover"))
        line = self.fontMetrics().height()
        state, moments = self._telemetry.latest, self._telemetry.moments
        left = 0.0
        for quantity in self._fitting():
            width = self._width(quantity)
            room = QRectF(left, 0, width - self._spark() - line * 0.75, self.height())
            text = " ".join(filter(None, (quantity.short, quantity.text(state))))
            held = bool(state.throttle) and quantity.id == "sm"
            painter.setPen(self._theme.color("warn" if held else "muted"))
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(room, side, text)
            area = QRectF(
                room.right() + line * 0.3, self.height() * 0.15, self._spark(), self.height() * 0.7
            )
            if quantity.id == "sm":
                paint_throttled(painter, area, moments, self._theme, SECONDS)
            paint_sparkline(painter, area, moments, quantity, self._theme, SECONDS)
            painter.setPen(QPen(self._theme.color("border_strong"), 1))
            painter.drawLine(area.bottomLeft(), area.bottomRight())
            if held:
                mark = QRectF(area.left(), area.top(), line * 0.7, line * 0.7)
                paint_mark(painter, mark, "warning", self._theme.color("warn"))
            left += width
