"""The schedule drawn: multiprocessors as rows, programs as bars, waves and tail marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.views.plane_colours import Colouring, argb_of, program_colours
from playground.ui.views.schedule_axes import paint_axes
from playground.ui.views.schedule_geometry import ScheduleGeometry
from playground.ui.views.schedule_raster import lanes_of, programs_at, rows_of

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import (
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )

    from playground.protocol.messages import Scheduled
    from playground.ui.document_programs import DocumentPrograms
    from playground.ui.theme import Theme

ZOOM_STEP = 1.25
MARKED_AT_MOST = 500
BarColour = Literal["wave", "owner"]


class SchedulePlot(ScheduleGeometry):
    """Draws the schedule of the document; zooms and pans over time, and over multiprocessors.

    `told` says what is under the cursor, empty when nothing is.
    """

    told = Signal(object)

    def __init__(
        self, programs: DocumentPrograms, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("schedule.plot")
        self.setAccessibleName("Schedule: programs over time, by multiprocessor")
        self._programs, self.theme = programs, theme
        self.colour: BarColour = "wave"
        self._picture: tuple[object, QImage, np.ndarray] | None = None
        self._waves: list[float] = []
        self._shown: Scheduled | None = None
        self._press: QPointF | None = None
        self._pressed_view = ((0.0, 1.0), (0.0, 1.0))
        self._dragged = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        programs.chosenChanged.connect(self._on_chosen)
        programs.hoveredChanged.connect(self.update)
        theme.changed.connect(self.update)

    # ------------------------------------------------------------------------------ content

    def show_schedule(self) -> None:
        """Draw the document's schedule as it is now."""
        reply = self._programs.schedule.reply
        if reply is self._shown:
            return
        self._shown = reply
        self.duration_ns = float(max(reply.figures.duration_ns, 1)) if reply is not None else 1.0
        self.lanes = lanes_of(reply) if reply is not None else None
        self._picture = None
        self._waves = self._wave_starts()
        self.fit()

    def set_colour(self, colour: BarColour) -> None:
        """Colour bars by wave, or as programs are coloured in the tile maps."""
        self.colour = colour
        self._picture = None
        self.update()

    def _on_chosen(self) -> None:
        program = self._programs.current
        if program is not None and self.lanes is not None:
            bar, area = self.bar(program), self.area()
            if not bar.isNull() and not area.adjusted(-1, -1, 1, 1).intersects(bar):
                self.pan(bar.center().x() - area.center().x(), bar.center().y() - area.center().y())
        self.update()

    # ------------------------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw bars, marks and axes."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("plot_background"))
        reply = self._programs.schedule.reply
        if self.lanes is None or reply is None:
            return
        area = self.area()
        painter.drawImage(area, self._bars(area))
        self._paint_tail(painter, area, reply.figures.tail_ns)
        painter.save()
        painter.setClipRect(area)
        self._paint_marks(painter, area)
        painter.restore()
        paint_axes(painter, self, self.theme, self._waves)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.theme.color("accent"), 1))
            painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))

    def _bars(self, area: QRectF) -> QImage:
        ratio = self.devicePixelRatioF()
        width, height = max(round(area.width() * ratio), 1), max(round(area.height() * ratio), 1)
        key = (width, height, self.time_ns, self.rows, self.theme.name, self.colour)
        if self._picture is not None and self._picture[0] == key:
            return self._picture[1]
        lanes, turns = self.lanes, self._programs.schedule.turns
        if lanes is None:
            return QImage()
        rows, separator = rows_of(lanes, *self.rows, height)
        edges = np.linspace(*self.time_ns, width + 1)
        programs = programs_at(lanes, rows, edges)
        by_wave = self.colour == "wave" and turns is not None
        colouring = (
            Colouring("wave", turns.wave + 1) if by_wave and turns is not None else Colouring()
        )
        ground = argb_of(self.theme.color("plot_background"))
        colours = program_colours(self.theme, colouring, len(lanes.lane))
        pixels = np.concatenate([[ground], colours])[programs + 1]
        # Where bars follow one another without a gap, a line of the ground tells them apart.
        edge = np.zeros(programs.shape, bool)
        edge[:, 1:] = (programs[:, 1:] != programs[:, :-1]) & (programs[:, :-1] >= 0)
        if edge.mean() < 0.2:
            pixels[edge & (programs >= 0)] = ground
        pixels[separator] = argb_of(self.theme.color("border"))
        image = QImage(
            np.ascontiguousarray(pixels).tobytes(), width, height, width * 4,
            QImage.Format.Format_RGB32,
        ).copy()  # fmt: skip
        self._picture = (key, image, programs)
        return image

    def _paint_tail(self, painter: QPainter, area: QRectF, tail_ns: int) -> None:
        if tail_ns <= 0:
            return
        left = max(self.x_of(self.duration_ns - tail_ns), area.left())
        right = min(self.x_of(self.duration_ns), area.right())
        if right <= left:
            return
        tint = self.theme.color("warn")
        tint.setAlphaF(0.16)
        painter.fillRect(QRectF(left, area.top(), right - left, area.height()), tint)
        painter.setPen(QPen(self.theme.color("warn"), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(left, area.top()), QPointF(left, area.bottom()))
        metrics = self.fontMetrics()
        if right - left > metrics.horizontalAdvance("tail") + 6:
            painter.setPen(self.theme.color("warn"))
            box = QRectF(left, 0, right - left, area.top() - 2)
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, "tail"
            )

    def _wave_starts(self) -> list[float]:
        """Return the first start of each wave."""
        turns, lanes = self._programs.schedule.turns, self.lanes
        if turns is None or lanes is None:
            return []
        waves = int(turns.wave.max(initial=0)) + 1
        if waves > 200:
            return []
        return [float(lanes.start_ns[turns.wave == wave].min()) for wave in range(waves)]

    def _paint_marks(self, painter: QPainter, area: QRectF) -> None:
        programs = self._programs
        marked = [(each, "text") for each in programs.chosen[-MARKED_AT_MOST:]]
        if programs.hovered is not None:
            marked.append((programs.hovered, "accent"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for program, token in marked:
            bar = self.bar(program)
            if bar.isNull() or not bar.adjusted(-2, -2, 2, 2).intersects(area):
                continue
            # Of a program that is thinner than a pixel, a frame that can be seen.
            wide, high = max(3.0 - bar.width(), 0) / 2, max(3.0 - bar.height(), 0) / 2
            bar.adjust(-wide, -high, wide, high)
            painter.setPen(QPen(QColor(self.theme.color("plot_background")), 4))
            painter.drawRect(bar)
            painter.setPen(QPen(self.theme.color(token), 2))
            painter.drawRect(bar)

    # ------------------------------------------------------------------------------ input

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom over time at the cursor; with Ctrl over multiprocessors."""
        steps = event.angleDelta().y() / 120
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if steps:
            self.zoom(ZOOM_STEP**steps, event.position(), rows=control)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pan, or choose when the mouse does not move."""
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press = event.position()
            self._pressed_view = (self.time_ns, self.rows)
            self._dragged = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while pressed, hover otherwise."""
        if self._press is None:
            program = self.program_at(event.position())
            self._programs.hover(program)
            self.told.emit(program)
            return
        delta = event.position() - self._press
        if self._dragged or delta.manhattanLength() >= 4:
            self._dragged = True
            self._pan_from(self._pressed_view, -delta.x(), -delta.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the program under a click; with Ctrl one more, or one less."""
        pressed, self._press = self._press, None
        if pressed is None or self._dragged or event.button() != Qt.MouseButton.LeftButton:
            return
        program = self.program_at(event.position())
        if program is None:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._programs.toggle(program)
        else:
            self._programs.choose((program,))

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the program under the cursor."""
        self._programs.hover(None)
        self.told.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pan with the arrows, zoom with + and −, fit with 0, step programs with the page keys."""
        key = event.key()
        rows = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        moves = {
            Qt.Key.Key_Left: (-40, 0), Qt.Key.Key_Right: (40, 0),
            Qt.Key.Key_Up: (0, -40), Qt.Key.Key_Down: (0, 40),
        }  # fmt: skip
        if key in moves:
            self.pan(*moves[Qt.Key(key)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(ZOOM_STEP, rows=rows)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / ZOOM_STEP, rows=rows)
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.fit()
        elif key == Qt.Key.Key_PageDown:
            self._programs.step(1)
        elif key == Qt.Key.Key_PageUp:
            self._programs.step(-1)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw anew in the new size."""
        self._picture = None
