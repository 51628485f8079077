"""Parallel coordinates of a sweep: an axis a knob, one for the time, a line for every config."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF

from playground.model.sweep_views import time_of
from playground.ui.views.formatting import time_text
from playground.ui.views.marks import blend
from playground.ui.views.sweep_picture import SweepPicture
from playground.ui.views.sweep_scene import speed_colour, value_words

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

    from playground.model.sweep import SweepRow
    from playground.ui.theme import Theme
    from playground.ui.views.sweep_scene import Scene

_TIME = "time"
_FAN = 0.62
"""Share of the room between two values over which the lines through one of them are fanned out."""
_SHADES = 24
"""Colours that lines have by their time."""
_MANY = 150
"""Lines from which on they are drawn thin."""
_NEAR = 7.0
"""Pixels from a line within which the pointer is on it."""
_SLIDERS = "plot_2"
"""The colour of where the sliders stand; its points are squares, those of the best are round."""
_FAILED = 0.045
"""Where lines of configs without a time end, as a share of the axis' height."""


class ParallelPicture(SweepPicture):
    """Fast lines over slow ones; dragging along an axis keeps only what passes there.

    Lines are drawn once and kept as a picture: with a thousand of them the pointer stays fluid.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("sweep.parallel", "All configs as lines over their knobs", theme, parent)
        self.axes: tuple[str, ...] = ()
        self._rows: list[SweepRow] = []
        self._heights = np.zeros((0, 0))
        self._kept: QPixmap | None = None
        self._standing_out: list[tuple[int, str, float]] = []
        self.brushes: dict[int, tuple[float, float]] = {}
        self._press: tuple[int, float] | None = None

    def show_scene(self, scene: Scene) -> None:
        """Lay the lines out anew."""
        axes = (*scene.knobs, *((_TIME,) if scene.timed else ()))
        if axes != self.axes:
            self.brushes = {}
        self.axes = axes
        order = [row for row in scene.rows if row.status != "constraint"]
        # Slow ones first, so that the fast ones lie on top.
        order.sort(key=lambda row: -(time_of(row) or math.inf))
        self._rows = order
        self._heights = self._layout(scene, order)
        self._standing_out = self._find_standing_out(scene, order)
        super().show_scene(scene)

    def show_again(self) -> None:
        """Draw the lines anew."""
        self._kept = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw the lines for another size."""
        super().resizeEvent(event)
        self._kept = None

    def _layout(self, scene: Scene, rows: list[SweepRow]) -> np.ndarray:
        """Return each row's height on every axis, 0 the lowest and 1 the highest."""
        heights = np.zeros((len(rows), len(self.axes)))
        if not rows:
            return heights
        speeds = np.array([scene.speed(ms) if (ms := time_of(row)) else 0.0 for row in rows])
        for axis, name in enumerate(self.axes):
            if name == _TIME:
                heights[:, axis] = [
                    _FAILED if time_of(row) is None else 0.12 + 0.86 * speeds[i]
                    for i, row in enumerate(rows)
                ]
                continue
            values = scene.knobs[name]
            place = {(type(v).__name__, v): i for i, v in enumerate(values)}
            at = np.array(
                [place[type(v).__name__, v]
                 for v in (row.config.as_dict().get(name) for row in rows)]
            )  # fmt: skip
            # Within a value the lines are fanned out by rank, the fastest highest.
            for value in range(len(values)):
                members = np.flatnonzero(at == value)
                rank = np.arange(len(members)) / max(len(members) - 1, 1) - 0.5
                heights[members, axis] = (value + 0.5 + _FAN * rank) / len(values)
        return heights

    @staticmethod
    def _find_standing_out(scene: Scene, rows: list[SweepRow]) -> list[tuple[int, str, float]]:
        """Return the lines to draw over the others: index, colour and width."""
        found = []
        for index, row in enumerate(rows):
            if scene.is_current(row.config):
                found.append((index, _SLIDERS, 2.6))
            elif scene.best is not None and row.config == scene.best.config:
                found.append((index, "good", 2.6))
            elif row.config in scene.tied:
                found.append((index, "good", 1.6))
        return found

    # ------------------------------------------------------------------------------ places

    def _area(self) -> QRectF:
        line = self.fontMetrics().height()
        left, right = 2.6 * line, 4.6 * line
        return QRectF(left, 1.9 * line, max(self.width() - left - right, 1.0),
                      max(self.height() - 2.5 * line, 1.0))  # fmt: skip

    def _xs(self) -> np.ndarray:
        area = self._area()
        return np.asarray(area.left() + area.width() * np.linspace(0, 1, max(len(self.axes), 2)))[
            : len(self.axes)
        ]

    def _y(self, height: np.ndarray | float) -> np.ndarray:
        area = self._area()
        return np.asarray(area.bottom() - np.asarray(height) * area.height())

    def _passing(self) -> np.ndarray:
        """Return which rows pass through every range that was dragged."""
        found = np.ones(len(self._rows), bool)
        for axis, (low, high) in self.brushes.items():
            if axis < self._heights.shape[1]:
                at = self._heights[:, axis]
                found &= (at >= low) & (at <= high)
        return found

    def summary(self) -> str:
        """Return how the lines that stand out are told apart, and what can be done."""
        marks = ["round points: the best"] if self.scene.best is not None else []
        marks += ["squares: the sliders"]
        return f"{', '.join(marks).capitalize()}. Drag along an axis to keep what passes there"

    def row_at(self, place: QPointF) -> SweepRow | None:
        """Return the line nearest to a place."""
        if not self._rows or not self.axes:
            return None
        xs = self._xs()
        if len(xs) == 1:
            distance = np.abs(self._y(self._heights[:, 0]) - place.y())
        else:
            if not xs[0] - _NEAR <= place.x() <= xs[-1] + _NEAR:
                return None
            left = int(np.clip(np.searchsorted(xs, place.x()) - 1, 0, len(xs) - 2))
            share = np.clip((place.x() - xs[left]) / (xs[left + 1] - xs[left]), 0, 1)
            at = self._heights[:, left] * (1 - share) + self._heights[:, left + 1] * share
            slope = (self._heights[:, left + 1] - self._heights[:, left]) * self._area().height()
            # The distance to the line itself, not straight up or down.
            distance = np.abs(self._y(at) - place.y()) / np.hypot(slope / (xs[1] - xs[0]), 1)
        distance = np.where(self._passing(), distance, np.inf)
        nearest = float(distance.min())
        if nearest > _NEAR:
            return None
        # Of several as near the topmost one, which is the fastest.
        return self._rows[int(np.flatnonzero(distance <= nearest + 0.5)[-1])]

    def rows_in_order(self) -> list[SweepRow]:
        """Return the rows that pass, the fastest first."""
        passing = self._passing()
        return [row for row, on in zip(self._rows, passing, strict=True) if on][::-1]

    def _axis_at(self, place: QPointF) -> int | None:
        xs = self._xs()
        if not len(xs):
            return None
        nearest = int(np.argmin(np.abs(xs - place.x())))
        return nearest if abs(float(xs[nearest]) - place.x()) <= 1.6 * _NEAR else None

    # ------------------------------------------------------------------------------ events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a range where an axis was pressed."""
        axis = self._axis_at(event.position())
        if axis is not None and event.button() == Qt.MouseButton.LeftButton:
            self._press = (axis, event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag a range along an axis, or name the line under the pointer."""
        if self._press is None:
            super().mouseMoveEvent(event)
            return
        axis, start = self._press
        now = event.position().y()
        if abs(now - start) > 3:
            area = self._area()
            low, high = sorted((area.bottom() - y) / area.height() for y in (start, now))
            self.set_brush(axis, (low, high))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a range; a click on an axis takes its range away, on a line it chooses."""
        press, self._press = self._press, None
        if press is not None:
            axis, start = press
            if abs(event.position().y() - start) > 3:
                return
            if axis in self.brushes:
                self.set_brush(axis, None)
                return
        super().mouseReleaseEvent(event)

    def set_brush(self, axis: int, span: tuple[float, float] | None) -> None:
        """Keep only what passes an axis within a span of its height, or all again."""
        if span is None:
            self.brushes.pop(axis, None)
        else:
            self.brushes[axis] = span
        self.show_again()

    # ------------------------------------------------------------------------------ drawing

    def draw(self, painter: QPainter) -> None:
        """Draw all that is kept, then the line under the pointer."""
        if not self._rows:
            self.say(painter, "Lines come with the first configs")
            return
        ratio = self.devicePixelRatioF()
        if self._kept is None or self._kept.devicePixelRatio() != ratio:
            self._kept = QPixmap(self.size() * ratio)
            self._kept.setDevicePixelRatio(ratio)
            self._kept.fill(self.theme.color("plot_background"))
            inside = QPainter(self._kept)
            inside.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._draw_lines(inside)
            for index, token, width in self._standing_out:
                self._emphasise(
                    inside, index, self.theme.color(token), width, squares=token == _SLIDERS
                )
            self._draw_axes(inside)
            inside.end()
        painter.drawPixmap(0, 0, self._kept)
        at = next((i for i, row in enumerate(self._rows) if row is self.hovered), None)
        if at is not None:
            self._emphasise(painter, at, self.theme.color("text"), 2.4)

    def _draw_lines(self, painter: QPainter) -> None:
        """Draw all lines, those of one colour together: a pen for each would take much longer."""
        passing = self._passing()
        xs, ys = [float(x) for x in self._xs()], self._y(self._heights).tolist()
        groups: dict[int, list[QLineF]] = {}
        for index, row in enumerate(self._rows):
            time_ms = time_of(row)
            key = -2 if not passing[index] else -1
            if passing[index] and time_ms is not None:
                key = round(_SHADES * self.scene.speed(time_ms))
            lines, at = groups.setdefault(key, []), ys[index]
            lines.extend(QLineF(xs[i], at[i], xs[i + 1], at[i + 1]) for i in range(len(xs) - 1))
        few = len(self._rows) <= _MANY
        ground = self.theme.color("plot_background")
        for key in sorted(groups):
            colour, share = self.theme.color("muted"), 0.06 if key == -2 else 0.22
            if key >= 0:
                colour = speed_colour(self.theme, key / _SHADES)
                share = 0.35 + 0.55 * key / _SHADES
            if few:
                colour.setAlphaF(share)
            else:
                # Laid over each other, a thousand take six times longer than in plain colours.
                colour = blend(colour, ground, share)
            painter.setPen(QPen(colour, 1.3 if few else 1.0))
            painter.drawLines(groups[key])

    def _line(self, index: int) -> QPolygonF:
        ys = self._y(self._heights[index])
        return QPolygonF([QPointF(float(x), float(y)) for x, y in zip(self._xs(), ys, strict=True)])

    def _emphasise(
        self, painter: QPainter, index: int, colour: QColor, width: float, *, squares: bool = False
    ) -> None:
        line = self._line(index)
        painter.setPen(QPen(self.theme.color("plot_background"), width + 2.5))
        painter.drawPolyline(line)
        painter.setPen(QPen(colour, width))
        painter.drawPolyline(line)
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        for point in line.toList():
            if squares:
                half = width * 1.3
                painter.drawRect(QRectF(point.x() - half, point.y() - half, 2 * half, 2 * half))
            else:
                painter.drawEllipse(point, width * 1.1, width * 1.1)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_axes(self, painter: QPainter) -> None:
        area, theme = self._area(), self.theme
        line = self.fontMetrics().height()
        small = self.small_font()
        xs = self._xs()
        room = area.width() / max(len(xs) - 1, 1)
        for axis, (name, at) in enumerate(zip(self.axes, xs, strict=True)):
            x = float(at)
            painter.setPen(QPen(theme.color("border_strong"), 1.2))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            painter.setFont(small)
            metrics = painter.fontMetrics()
            title = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, round(room - 4))
            # Titles stand high and low in turns where they would touch.
            painter.setPen(theme.color("text"))
            painter.drawText(QRectF(x - room, 0.3 * line, 2 * room, 1.3 * line),
                             Qt.AlignmentFlag.AlignCenter, title)  # fmt: skip
            if axis in self.brushes:
                low, high = (float(self._y(h)) for h in self.brushes[axis])
                band = QColor(theme.color("accent"))
                band.setAlphaF(0.25)
                painter.fillRect(QRectF(x - 5, high, 10, low - high), band)
            self._draw_ticks(painter, axis, name, x)

    def _draw_ticks(self, painter: QPainter, axis: int, name: str, x: float) -> None:
        theme, scene = self.theme, self.scene
        metrics = painter.fontMetrics()
        if name == _TIME:
            fast, slow = scene.fast_ms or 1.0, scene.slow_ms or 1.0
            texts = [
                (0.12 + 0.86 * share, time_text(slow * (fast / slow) ** share))
                for share in (1.0, 0.75, 0.5, 0.25, 0.0)
            ] + [(_FAILED, "no time")]  # fmt: skip
            if all(time_of(row) is not None for row in self._rows):
                texts.pop()
        else:
            values = scene.knobs[name]
            texts = [((i + 0.5) / len(values), value_words(v)) for i, v in enumerate(values)]
        least = metrics.height() * 0.95
        last = math.inf
        for height, text in texts if name != _TIME else reversed(texts):
            y = float(self._y(height))
            if last - y < least:
                continue
            last = y
            # The last axis has its figures outside, the others beside their line on the left.
            wide = metrics.horizontalAdvance(text) + 6
            outside = axis == len(self.axes) - 1 and axis > 0
            at = QRectF(x + 5 if outside else x - wide - 3, y - metrics.height() / 2, wide,
                        metrics.height())  # fmt: skip
            ground = QColor(theme.color("plot_background"))
            ground.setAlphaF(0.78)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(at, 3, 3)
            painter.setPen(theme.color("text"))
            painter.drawText(at, Qt.AlignmentFlag.AlignCenter, text)
