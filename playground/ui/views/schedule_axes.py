"""The axes of the schedule: multiprocessors beside it, time below, waves above."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from playground.ui.views.formatting import time_unit
from playground.ui.views.plane_rulers import nice_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.ui.theme import Theme
    from playground.ui.views.schedule_plot import SchedulePlot


def paint_axes(
    painter: QPainter, plot: SchedulePlot, theme: Theme, wave_starts_ns: Sequence[float]
) -> None:
    """Draw all three axes of a schedule."""
    area = plot.area()
    painter.setPen(QPen(theme.color("border_strong"), 1))
    painter.drawLine(area.bottomLeft(), area.bottomRight())
    painter.drawLine(area.topLeft(), area.bottomLeft())
    _paint_rows(painter, plot, theme, area)
    _paint_times(painter, plot, theme, area)
    _paint_waves(painter, plot, theme, area, wave_starts_ns)


def time_step_ns(least_ns: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, … nanoseconds that is at least `least_ns`."""
    power = 10.0 ** math.floor(math.log10(max(least_ns, 1.0)))
    return next(power * part for part in (1, 2, 5, 10) if power * part >= least_ns * 0.999999)


def _paint_rows(painter: QPainter, plot: SchedulePlot, theme: Theme, area: QRectF) -> None:
    lanes, metrics = plot.lanes, plot.fontMetrics()
    if lanes is None:
        return
    owners = len(lanes.first) - 1
    each = (plot.y_of(lanes.count) - plot.y_of(0)) / max(owners, 1)
    step = nice_step(metrics.height() * 1.2 / max(each, 1e-9))
    painter.setPen(theme.color("muted"))
    for owner in range(0, owners, step):
        middle = (plot.y_of(lanes.first[owner]) + plot.y_of(lanes.first[owner + 1])) / 2
        if area.top() - 1 <= middle <= area.bottom() + 1:
            box = QRectF(0, middle - metrics.height() / 2, area.left() - 5, metrics.height())
            text = f"SM {owner}" if owner == 0 or each > metrics.height() * 3 else str(owner)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


def _paint_times(painter: QPainter, plot: SchedulePlot, theme: Theme, area: QRectF) -> None:
    metrics, (low, high) = plot.fontMetrics(), plot.time_ns
    unit, factor = time_unit(high / 1e6)
    wide = metrics.horizontalAdvance("00 000.0 µs") + metrics.height()
    step = time_step_ns((high - low) / max(area.width() / wide, 1.0))
    digits = max(0, -math.floor(math.log10(step / 1e6 * factor) + 1e-9))
    painter.setPen(theme.color("muted"))
    for number in range(math.ceil(low / step), math.floor(high / step) + 1):
        x = plot.x_of(number * step)
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 4))
        text = f"{number * step / 1e6 * factor:.{digits}f} {unit}"
        length = metrics.horizontalAdvance(text)
        left = min(max(x - length / 2, 0.0), plot.width() - length - 1.0)
        painter.drawText(QPointF(left, area.bottom() + 5 + metrics.ascent()), text)


def _paint_waves(
    painter: QPainter, plot: SchedulePlot, theme: Theme, area: QRectF, starts_ns: Sequence[float]
) -> None:
    metrics = plot.fontMetrics()
    free = area.left()
    for wave, start in enumerate(starts_ns):
        x = plot.x_of(start)
        if not area.left() - 1 <= x <= area.right():
            continue
        text = f"wave {wave + 1}"
        line = QPen(theme.color("text"), 1, Qt.PenStyle.DotLine)
        if x >= free:
            painter.setPen(line)
            painter.drawLine(QPointF(x, area.top() - 3), QPointF(x, area.bottom()))
            length = metrics.horizontalAdvance(text)
            if x + length < area.right() - metrics.horizontalAdvance("tail "):
                painter.setPen(theme.color("muted"))
                painter.drawText(QPointF(x + 3, area.top() - 4), text)
            free = x + length + metrics.height()
