"""Where the programs of a schedule are on the screen: time across, multiprocessors down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtWidgets import QWidget

from playground.ui.views.schedule_raster import programs_at

if TYPE_CHECKING:
    from playground.ui.views.schedule_raster import Lanes

LEAST_NS = 8.0
"""The shortest stretch of time in view."""


class ScheduleGeometry(QWidget):
    """A widget that shows lanes over time; `time_ns` and `rows` are what of both is in view."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lanes: Lanes | None = None
        self.duration_ns = 1.0
        self.time_ns = (0.0, 1.0)
        self.rows = (0.0, 1.0)

    def sizeHint(self) -> QSize:
        """Return a comfortable size."""
        unit = self.fontMetrics().height()
        return QSize(unit * 32, unit * 16)

    def minimumSizeHint(self) -> QSize:
        """Return the least size with which bars can be told apart."""
        unit = self.fontMetrics().height()
        return QSize(unit * 14, unit * 6)

    def area(self) -> QRectF:
        """Return where bars are drawn: the widget without its axes."""
        metrics = self.fontMetrics()
        left = metrics.horizontalAdvance("SM 000") + metrics.height() // 2
        top, bottom = metrics.height() * 1.3, metrics.height() * 1.5
        return QRectF(
            left, top, max(self.width() - left - 4, 1), max(self.height() - top - bottom, 1)
        )

    def x_of(self, time_ns: float) -> float:
        """Return where a time is drawn."""
        area, (low, high) = self.area(), self.time_ns
        return area.left() + (time_ns - low) / (high - low) * area.width()

    def y_of(self, lane: float) -> float:
        """Return where a lane begins."""
        area, (low, high) = self.area(), self.rows
        return area.top() + (lane - low) / (high - low) * area.height()

    def time_at(self, x: float) -> float:
        """Return the time at a place."""
        area, (low, high) = self.area(), self.time_ns
        return low + (x - area.left()) / area.width() * (high - low)

    def bar(self, program: int) -> QRectF:
        """Return where the bar of a program is drawn."""
        lanes = self.lanes
        if lanes is None or not 0 <= program < len(lanes.lane):
            return QRectF()
        lane = float(lanes.lane[program])
        return QRectF(
            QPointF(self.x_of(float(lanes.start_ns[program])), self.y_of(lane)),
            QPointF(self.x_of(float(lanes.end_ns[program])), self.y_of(lane + 1)),
        )

    def program_at(self, position: QPointF) -> int | None:
        """Return the program whose bar is under a point."""
        lanes, area = self.lanes, self.area()
        if lanes is None or not area.contains(position):
            return None
        low, high = self.rows
        lane = int(low + (position.y() - area.top()) / area.height() * (high - low))
        if not 0 <= lane < lanes.count:
            return None
        time = self.time_at(position.x())
        each = self.time_at(position.x() + 1) - time
        found = int(programs_at(lanes, np.array([lane]), np.array([time, time + each]))[0, 0])
        return None if found < 0 else found

    def fit(self) -> None:
        """Show all of it."""
        self.time_ns = (0.0, self.duration_ns * 1.005)
        self.rows = (0.0, float(max(self.lanes.count, 1)) if self.lanes is not None else 1.0)
        self.update()

    def zoom(self, factor: float, at: QPointF | None = None, *, rows: bool = False) -> None:
        """Zoom over time, or over multiprocessors, keeping what is under `at` where it is."""
        area = self.area()
        at = at or area.center()
        if rows:
            share = (at.y() - area.top()) / area.height()
            whole = float(self.lanes.count) if self.lanes is not None else 1.0
            self.rows = _zoomed(self.rows, share, factor, whole, 1.0)
        else:
            share = (at.x() - area.left()) / area.width()
            whole = self.duration_ns * 1.005
            self.time_ns = _zoomed(self.time_ns, share, factor, whole, LEAST_NS)
        self.update()

    def pan(self, dx: float, dy: float) -> None:
        """Move the view by logical pixels."""
        self._pan_from((self.time_ns, self.rows), dx, dy)

    def _pan_from(
        self, view: tuple[tuple[float, float], tuple[float, float]], dx: float, dy: float
    ) -> None:
        area, (times, rows) = self.area(), view
        whole = float(self.lanes.count) if self.lanes is not None else 1.0
        self.time_ns = _moved(
            times, dx / area.width() * (times[1] - times[0]), self.duration_ns * 1.005
        )
        self.rows = _moved(rows, dy / area.height() * (rows[1] - rows[0]), whole)
        self.update()


def _zoomed(
    view: tuple[float, float], share: float, factor: float, whole: float, least: float
) -> tuple[float, float]:
    low, high = view
    length = min(max((high - low) / factor, min(least, whole)), whole)
    fixed = low + share * (high - low)
    return _moved((fixed - share * length, fixed + (1 - share) * length), 0.0, whole)


def _moved(view: tuple[float, float], by: float, whole: float) -> tuple[float, float]:
    low, high = view
    length = high - low
    low = min(max(low + by, 0.0), max(whole - length, 0.0))
    return low, low + length
