"""A plane of numbers as a picture: a cell each, the number in it where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.theme import mono_font
from playground.ui.views.block_plane import BlockPlane, colours, number_text

if TYPE_CHECKING:
    import numpy as np
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from playground.ui.theme import Theme


class BlockImage(QWidget):
    """Draws a plane and its scale; `told` carries the element under the cursor in words."""

    told = Signal(str)
    picked = Signal(int, int)

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("Heat map of a block")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._theme = theme
        self._plane: BlockPlane | None = None
        self._pixels: np.ndarray | None = None
        self._marked: tuple[int, int] | None = None
        self._labels = ("", "")
        self._pointed = ""
        theme.changed.connect(self._recolour)

    def sizeHint(self) -> QSize:
        """Return room for a small block."""
        line = self.fontMetrics().height()
        return QSize(20 * line, 14 * line)

    def show_plane(
        self, plane: BlockPlane | None, marked: tuple[int, int] | None = None,
        labels: tuple[str, str] = ("", ""),
    ) -> None:  # fmt: skip
        """Show a plane; `marked` is a cell to draw a ring around, `labels` tell low and high."""
        self._plane, self._marked, self._labels = plane, marked, labels
        self._recolour()

    def _recolour(self) -> None:
        self._pixels = None if self._plane is None else colours(self._plane, self._theme)
        self.update()

    def _area(self) -> tuple[QRectF, float, float]:
        """Return where the plane is drawn, and the size of a cell."""
        plane, line = self._plane, self.fontMetrics().height()
        if plane is None:
            return QRectF(), 1.0, 1.0
        width, height = self.width() - 2, self.height() - 1.9 * line
        cell_w, cell_h = width / plane.columns, height / plane.rows
        # Cells are at most four times as wide as high, or as a number needs.
        cell_h = min(cell_h, 2.2 * line, max(cell_w, 3.0) * 1.5)
        cell_w = min(cell_w, max(4 * cell_h, 3.5 * line))
        return QRectF(1, 1, cell_w * plane.columns, cell_h * plane.rows), cell_w, cell_h

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw cells, numbers and the scale."""
        painter = QPainter(self)
        plane, pixels = self._plane, self._pixels
        if plane is None or pixels is None or not pixels.size:
            painter.end()
            return
        area, cell_w, cell_h = self._area()
        image = QImage(
            pixels.data, plane.columns, plane.rows, 4 * plane.columns, QImage.Format.Format_ARGB32
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, cell_w < 1 or cell_h < 1)
        painter.drawImage(area, image)
        font = mono_font(self.font().pointSizeF() * 0.85)
        metrics = QFontMetricsF(font)
        roomy = plane.figures and cell_h >= metrics.height()
        if roomy and cell_w >= metrics.horizontalAdvance("0") * 4:
            self._paint_numbers(painter, plane, cell_w, cell_h)
        painter.setPen(QPen(self._theme.color("border_strong"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area)
        if self._marked is not None:
            row, column = self._marked
            ring = QRectF(area.left() + column * cell_w, area.top() + row * cell_h, cell_w, cell_h)
            grown = max(0.0, (10 - min(cell_w, cell_h)) / 2)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for color, width in (("surface", 4.0), ("bad", 2.0)):
                painter.setPen(QPen(self._theme.color(color), width))
                painter.drawRect(ring.adjusted(-grown, -grown, grown, grown))
        self._paint_scale(painter, plane, area)
        painter.end()

    def _paint_numbers(
        self, painter: QPainter, plane: BlockPlane, cell_w: float, cell_h: float
    ) -> None:
        font = mono_font(self.font().pointSizeF() * 0.85)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        shares = plane.shares()
        bright, dark = QColor("#ffffff"), QColor("#101418")
        for row in range(plane.rows):
            for column in range(plane.columns):
                if not plane.held[row, column]:
                    continue
                text = plane.text(row, column)
                if metrics.horizontalAdvance(text) > cell_w - 2:
                    continue
                painter.setPen(dark if shares[row, column] > 0.55 else bright)
                painter.drawText(
                    QRectF(1 + column * cell_w, 1 + row * cell_h, cell_w, cell_h),
                    Qt.AlignmentFlag.AlignCenter, text,
                )  # fmt: skip

    def _paint_scale(self, painter: QPainter, plane: BlockPlane, area: QRectF) -> None:
        line = self.fontMetrics().height()
        painter.setFont(self.font())
        y = area.bottom() + 0.55 * line
        low, high = self._labels
        low = low or _number(plane, plane.low)
        high = high or _number(plane, plane.high)
        metrics = self.fontMetrics()
        painter.setPen(self._theme.color("muted"))
        x = 1.0
        painter.drawText(QPointF(x, y + 0.8 * line), low)
        x += metrics.horizontalAdvance(low) + 0.5 * line
        bar = QRectF(x, y + 0.1 * line, 7 * line, 0.75 * line)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        entries = self._theme.sequential_colormap(16)
        for number, rgb in enumerate(entries):
            gradient.setColorAt(number / (len(entries) - 1), QColor(*rgb))
        painter.fillRect(bar, gradient)
        x = bar.right() + 0.5 * line
        painter.drawText(QPointF(x, y + 0.8 * line), high)
        x += metrics.horizontalAdvance(high) + line
        for token, text in self._odd(plane):
            painter.fillRect(QRectF(x, y + 0.15 * line, 0.65 * line, 0.65 * line),
                             self._theme.color(token))  # fmt: skip
            painter.drawText(QPointF(x + 0.9 * line, y + 0.8 * line), text)
            x += metrics.horizontalAdvance(text) + 1.8 * line
        if self._pointed:
            room = QRectF(x, y, max(self.width() - x, 0.0), 1.2 * line)
            painter.setPen(self._theme.color("text"))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight, self._pointed)

    @staticmethod
    def _odd(plane: BlockPlane) -> list[tuple[str, str]]:
        import numpy as np

        if plane.numbers.dtype.kind != "f" or not plane.figures:
            return []
        found = []
        nans, infinite = int(np.isnan(plane.numbers).sum()), int(np.isinf(plane.numbers).sum())
        if nans:
            found.append(("bad", f"{nans} NaN"))
        if infinite:
            found.append(("plot_2", f"{infinite} infinite"))
        return found

    def _cell_at(self, point: QPointF) -> tuple[int, int] | None:
        area, cell_w, cell_h = self._area()
        if self._plane is None or not area.contains(point):
            return None
        row = int((point.y() - area.top()) / cell_h)
        column = int((point.x() - area.left()) / cell_w)
        return min(row, self._plane.rows - 1), min(column, self._plane.columns - 1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the element under the cursor."""
        cell = self._cell_at(event.position())
        plane = self._plane
        known = plane is not None and plane.figures and cell is not None
        self._point(plane.told(*cell) if known and plane is not None and cell else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Tell which cell was clicked."""
        cell = self._cell_at(event.position())
        if cell is not None:
            self.picked.emit(*cell)

    def leaveEvent(self, event: QEvent) -> None:
        """Tell of no element any more."""
        self._point("")
        super().leaveEvent(event)

    def _point(self, text: str) -> None:
        if text != self._pointed:
            self._pointed = text
            self.told.emit(text)
            self.update()


def _number(plane: BlockPlane, value: float) -> str:
    import numpy as np

    return number_text(np.float64(value)) if plane.numbers.dtype.kind == "f" else f"{value:.0f}"
