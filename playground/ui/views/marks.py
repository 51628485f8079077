"""Small status marks drawn as vectors, so that no state is told by colour alone."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

Mark = Literal["check", "cross", "question", "warning", "info", "lock", "star", "none"]
Tone = Literal["good", "bad", "warn", "muted", "accent"]


def paint_mark(painter: QPainter, area: QRectF, mark: Mark, colour: QColor) -> None:
    """Draw `mark` inside the square `area`."""
    if mark == "none":
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    size = min(area.width(), area.height())
    left, top = area.center().x() - size / 2, area.center().y() - size / 2
    pen = QPen(colour, max(size * 0.13, 1.2))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)

    def at(x: float, y: float) -> QPointF:
        return QPointF(left + x * size, top + y * size)

    if mark == "check":
        painter.drawPolyline(QPolygonF([at(0.16, 0.55), at(0.40, 0.78), at(0.84, 0.24)]))
    elif mark == "cross":
        painter.drawLine(at(0.22, 0.22), at(0.78, 0.78))
        painter.drawLine(at(0.78, 0.22), at(0.22, 0.78))
    elif mark == "warning":
        painter.drawPolygon(QPolygonF([at(0.5, 0.1), at(0.94, 0.88), at(0.06, 0.88)]))
        painter.drawLine(at(0.5, 0.40), at(0.5, 0.60))
        painter.drawPoint(at(0.5, 0.75))
    elif mark == "info":
        painter.drawEllipse(QRectF(at(0.08, 0.08), at(0.92, 0.92)))
        painter.drawLine(at(0.5, 0.46), at(0.5, 0.70))
        painter.drawPoint(at(0.5, 0.30))
    elif mark == "question":
        painter.drawArc(QRectF(at(0.28, 0.12), at(0.72, 0.56)), -60 * 16, 240 * 16)
        painter.drawLine(at(0.5, 0.56), at(0.5, 0.64))
        painter.drawPoint(at(0.5, 0.85))
    elif mark == "lock":
        painter.drawArc(QRectF(at(0.30, 0.10), at(0.70, 0.70)), 0, 180 * 16)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(at(0.20, 0.46), at(0.80, 0.90)), size * 0.06, size * 0.06)
    elif mark == "star":
        painter.setBrush(colour)
        points = [
            (0.5, 0.08), (0.62, 0.38), (0.94, 0.40), (0.69, 0.60), (0.78, 0.92),
            (0.5, 0.74), (0.22, 0.92), (0.31, 0.60), (0.06, 0.40), (0.38, 0.38),
        ]  # fmt: skip
        painter.drawPolygon(QPolygonF([at(x, y) for x, y in points]))
    painter.restore()


def mark_icon(mark: Mark, colour: QColor, size: int = 16) -> QIcon:
    """Return `mark` as an icon for table cells, crisp up to three times the scale."""
    icon = QIcon()
    for scale in (1, 2, 3):
        pixmap = QPixmap(size * scale, size * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        paint_mark(painter, QRectF(0, 0, size * scale, size * scale), mark, colour)
        painter.end()
        pixmap.setDevicePixelRatio(scale)
        icon.addPixmap(pixmap)
    return icon


def blend(colour: QColor, over: QColor, share: float) -> QColor:
    """Return `colour` laid over `over` with opacity `share`."""
    return QColor(
        round(colour.red() * share + over.red() * (1 - share)),
        round(colour.green() * share + over.green() * (1 - share)),
        round(colour.blue() * share + over.blue() * (1 - share)),
    )
