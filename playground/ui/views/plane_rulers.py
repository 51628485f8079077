"""The rulers along a tile map: rows and columns in powers of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from playground.ui.theme import Theme
    from playground.ui.views.plane_canvas import PlaneCanvas


def paint_rulers(painter: QPainter, canvas: PlaneCanvas, theme: Theme) -> None:
    """Draw the rulers of a canvas beside and above its plane."""
    area, metrics = canvas.plot_area(), canvas.fontMetrics()
    painter.setPen(theme.color("muted"))
    painter.fillRect(QRectF(0, 0, area.left(), canvas.height()), theme.color("plot_background"))
    painter.fillRect(QRectF(0, 0, canvas.width(), area.top()), theme.color("plot_background"))
    shown = canvas.visible()
    # A plane smaller than the view stands in its middle, and its rulers beside it.
    corner = canvas.to_widget(0, 0)
    beside, above = max(area.left(), corner.x()), max(area.top(), corner.y())
    painter.setPen(theme.color("muted"))
    tick = metrics.height() * 0.3
    widest = metrics.horizontalAdvance(str(canvas.columns)) + metrics.height()
    step = nice_step(widest / canvas.scale_x)
    for column in range(-(-shown.left() // step) * step, shown.right() + 1, step):
        x = canvas.to_widget(0, column).x()
        painter.drawLine(QPointF(x, above - tick), QPointF(x, above))
        box = QRectF(x + 2, above - area.top(), widest, area.top() - tick * 0.5)
        if box.right() <= canvas.width() + metrics.height():
            painter.drawText(
                box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, str(column)
            )
    step = nice_step(metrics.height() * 2.0 / canvas.scale_y)
    for row in range(-(-shown.top() // step) * step, shown.bottom() + 1, step):
        y = canvas.to_widget(row, 0).y()
        painter.drawLine(QPointF(beside - tick, y), QPointF(beside, y))
        top = max(y - metrics.height() / 2, area.top() - metrics.height() / 4)
        if top + metrics.height() * 0.9 > canvas.height():
            continue  # half a number is none
        box = QRectF(beside - area.left(), top, area.left() - tick * 1.4, metrics.height())
        text = str(row * canvas.columns if canvas.folded else row)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


def nice_step(least: float) -> int:
    """Return the smallest power of two that is at least `least`: kernels count in those."""
    step = 1
    while step < least:
        step *= 2
    return step
