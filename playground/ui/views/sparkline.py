"""A curve without axes: the last minutes of one quantity, newest at the right."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from playground.ui.views.telemetry_series import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.ui.document_telemetry import Moment
    from playground.ui.theme import Theme
    from playground.ui.views.telemetry_series import Quantity

MISSED_S = 5.0
"""A pause longer than this is a gap in the curve: nobody asked, nothing is known of it."""


def paint_sparkline(
    painter: QPainter,
    area: QRectF,
    moments: Sequence[Moment],
    quantity: Quantity,
    theme: Theme,
    seconds: float,
) -> tuple[float, float] | None:
    """Draw a quantity over the last `seconds` in `area`; return its axis, None without a value."""
    if not moments:
        return None
    now_s = moments[-1].at_s
    points = [
        (moment.at_s - now_s, float(value))
        for moment in moments
        if (value := quantity.value(moment.state)) is not None and now_s - moment.at_s <= seconds
    ]
    if not points:
        return None
    low, high = quantity.ends or span([value for _, value in points], quantity.least)

    def place(point: tuple[float, float]) -> QPointF:
        x = area.right() + point[0] / seconds * area.width()
        return QPointF(x, area.bottom() - (point[1] - low) / (high - low) * area.height())

    colour = theme.color(quantity.token)
    ground = QColor(colour)
    ground.setAlphaF(0.16)
    for part in _parts(points):
        line = [place(point) for point in part]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        feet = [QPointF(line[-1].x(), area.bottom()), QPointF(line[0].x(), area.bottom())]
        painter.drawPolygon(QPolygonF([*line, *feet]))
        painter.setPen(QPen(colour, 1.3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(line))
    return low, high


def paint_throttled(
    painter: QPainter, area: QRectF, moments: Sequence[Moment], theme: Theme, seconds: float
) -> None:
    """Hatch the times in which something held the clock back."""
    if not moments:
        return
    now_s = moments[-1].at_s
    tint = theme.color("warn")
    tint.setAlphaF(0.55)
    for moment, after in zip(moments, [*moments[1:], moments[-1]], strict=True):
        if moment.state.throttle and now_s - moment.at_s <= seconds:
            left = area.right() + (moment.at_s - now_s) / seconds * area.width()
            until_s = min(after.at_s, moment.at_s + MISSED_S)
            width = max((until_s - moment.at_s) / seconds * area.width(), 2.0)
            mark = QRectF(left, area.top(), width, area.height())
            painter.fillRect(mark, QBrush(tint, Qt.BrushStyle.BDiagPattern))


def _parts(points: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    parts = [[points[0]]]
    for before, point in pairwise(points):
        if point[0] - before[0] > MISSED_S:
            parts.append([])
        parts[-1].append(point)
    return parts
