"""The canvas of a tensor: pans and zooms pictures of any size, with rulers and overlays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QCursor,
    QEnterEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.views.marks import blend

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from playground.ui.theme import Theme
    from playground.ui.views.plane_image import FootprintShape, PlaneImage

MAX_CELL = 96.0
ZOOM_STEP = 1.25


class PlaneCanvas(QWidget):
    """Draws a plane of elements: the overview at once, a sharper detail of what is visible on top.

    The canvas knows geometry and pictures only. `viewChanged` says that the visible rectangle is
    another; `hovered` and `picked` carry row and column of an element, `left` that there is none.
    """

    viewChanged = Signal()
    hovered = Signal(int, int)
    left = Signal()
    picked = Signal(int, int)
    stepRequested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("coverage.canvas")
        self.setAccessibleName("Tile map")
        self._theme = theme
        self._rows = self._columns = 0
        self._scale_x = self._scale_y = 1.0
        self._origin = QPointF()
        self._overview: PlaneImage | None = None
        self._detail: PlaneImage | None = None
        self._footprints: tuple[FootprintShape, ...] = ()
        self._hover: tuple[int, int] | None = None
        self._fold = False
        self._fitted = True
        self._press: QPointF | None = None
        self._pressed_origin = QPointF()
        self._dragged = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self.update)

    # ------------------------------------------------------------------------------ content

    def set_plane(self, rows: int, columns: int, *, folded: bool) -> None:
        """Take the size of the plane; another size is fitted anew."""
        self._fold = folded
        if (rows, columns) != (self._rows, self._columns):
            self._rows, self._columns = rows, columns
            self.fit()

    def show_pictures(self, overview: PlaneImage | None, detail: PlaneImage | None) -> None:
        """Draw these pictures from now on."""
        self._overview, self._detail = overview, detail
        self.update()

    def show_footprints(self, footprints: tuple[FootprintShape, ...]) -> None:
        """Highlight what a program touches; the last one that covers the view is drawn."""
        self._footprints = footprints
        self.update()

    # ------------------------------------------------------------------------------ geometry

    def sizeHint(self) -> QSize:
        """Return a comfortable size for a picture."""
        unit = self.fontMetrics().height()
        return QSize(unit * 32, unit * 24)

    def minimumSizeHint(self) -> QSize:
        """Return the least size with which tiles can be told apart."""
        unit = self.fontMetrics().height()
        return QSize(unit * 14, unit * 10)

    def plot_area(self) -> QRectF:
        """Return where elements are drawn: the widget without its rulers."""
        metrics = self.fontMetrics()
        longest = self._rows * self._columns if self._fold else self._rows
        gutter = metrics.horizontalAdvance(str(max(longest, 1000))) + metrics.height()
        top = metrics.height() * 1.5
        return QRectF(
            gutter, top, max(self.width() - gutter - 2, 1), max(self.height() - top - 2, 1)
        )

    @property
    def scales(self) -> tuple[float, float]:
        """Logical pixels per element, across and down."""
        return self._scale_x, self._scale_y

    def to_widget(self, row: float, column: float) -> QPointF:
        """Return where the corner of an element is drawn."""
        area = self.plot_area()
        return QPointF(
            area.left() + (column - self._origin.x()) * self._scale_x,
            area.top() + (row - self._origin.y()) * self._scale_y,
        )

    def element_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return row and column of the element under a point, None outside the plane."""
        area = self.plot_area()
        if not area.contains(position):
            return None
        column = math.floor((position.x() - area.left()) / self._scale_x + self._origin.x())
        row = math.floor((position.y() - area.top()) / self._scale_y + self._origin.y())
        if 0 <= row < self._rows and 0 <= column < self._columns:
            return row, column
        return None

    def visible(self) -> QRect:
        """Return the elements in view: x is the first column, y the first row."""
        area = self.plot_area()
        left = max(math.floor(self._origin.x()), 0)
        top = max(math.floor(self._origin.y()), 0)
        right = min(math.ceil(self._origin.x() + area.width() / self._scale_x), self._columns)
        bottom = min(math.ceil(self._origin.y() + area.height() / self._scale_y), self._rows)
        return QRect(left, top, max(right - left, 0), max(bottom - top, 0))

    def fit(self) -> None:
        """Show the whole plane; a very long and thin one is stretched across its short side."""
        self._fitted = True
        if not self._rows or not self._columns:
            return
        area = self.plot_area()
        across, down = area.width() / self._columns, area.height() / self._rows
        scale = min(across, down)
        # Square elements, unless that would leave less than a quarter of the view to look at.
        self._scale_x = min(across, max(scale, across / 4 if across > down else across))
        self._scale_y = min(down, max(scale, down / 4 if down > across else down))
        self._scale_x = min(self._scale_x, MAX_CELL)
        self._scale_y = min(self._scale_y, MAX_CELL)
        self._origin = QPointF(
            min((self._columns - area.width() / self._scale_x) / 2, 0.0),
            min((self._rows - area.height() / self._scale_y) / 2, 0.0),
        )
        self._origin.setY(0.0)
        self._origin.setX(0.0)
        self._moved()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom by `factor` and keep the element under `at` where it is (by default the centre)."""
        area = self.plot_area()
        at = at or area.center()
        fixed = QPointF(
            self._origin.x() + (at.x() - area.left()) / self._scale_x,
            self._origin.y() + (at.y() - area.top()) / self._scale_y,
        )
        least = min(
            area.width() / max(self._columns, 1), area.height() / max(self._rows, 1), MAX_CELL
        )
        low = min(self._scale_x, self._scale_y)
        high = max(self._scale_x, self._scale_y)
        factor = max(min(factor, MAX_CELL / high), min(least / low, 1.0))
        self._scale_x *= factor
        self._scale_y *= factor
        self._origin = QPointF(
            fixed.x() - (at.x() - area.left()) / self._scale_x,
            fixed.y() - (at.y() - area.top()) / self._scale_y,
        )
        self._fitted = False
        self._clamp()
        self._moved()

    def pan(self, dx: float, dy: float) -> None:
        """Move the view by logical pixels."""
        self._origin += QPointF(dx / self._scale_x, dy / self._scale_y)
        self._fitted = False
        self._clamp()
        self._moved()

    def bring_into_view(self, rect: QRectF) -> None:
        """Centre a rectangle of elements unless some of it is in view already."""
        if rect.isEmpty() or QRectF(self.visible()).intersects(rect):
            return
        area = self.plot_area()
        self._origin = QPointF(
            rect.center().x() - area.width() / self._scale_x / 2,
            rect.center().y() - area.height() / self._scale_y / 2,
        )
        self._clamp()
        self._moved()

    def _clamp(self) -> None:
        area = self.plot_area()
        spare_x = max(self._columns - area.width() / self._scale_x, 0.0)
        spare_y = max(self._rows - area.height() / self._scale_y, 0.0)
        self._origin = QPointF(
            min(max(self._origin.x(), 0.0), spare_x), min(max(self._origin.y(), 0.0), spare_y)
        )

    def _moved(self) -> None:
        self.update()
        self.viewChanged.emit()

    # ------------------------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw pictures, overlays and rulers."""
        painter = QPainter(self)
        theme = self._theme
        painter.fillRect(self.rect(), theme.color("plot_background"))
        if not self._rows:
            return
        area = self.plot_area()
        corner, end = self.to_widget(0, 0), self.to_widget(self._rows, self._columns)
        plane = QRectF(corner, end).intersected(area)
        painter.save()
        painter.setClipRect(area)
        self._paint_pictures(painter, plane)
        self._paint_lines(painter, area)
        self._paint_footprint(painter, area)
        self._paint_labels(painter, area)
        painter.setPen(QPen(theme.color("border_strong"), 1))
        painter.drawRect(QRectF(corner, end).adjusted(-0.5, -0.5, 0.5, 0.5))
        self._paint_hover(painter)
        painter.restore()
        self._paint_rulers(painter, area)

    def _paint_pictures(self, painter: QPainter, plane: QRectF) -> None:
        pictures = [p for p in (self._overview, self._detail) if p is not None]
        if any(picture.unwritten for picture in pictures):
            painter.fillRect(plane, hatch_ground(self._theme))
            painter.fillRect(plane, QBrush(self._theme.color("bad"), Qt.BrushStyle.BDiagPattern))
        for picture in pictures:
            place = picture.placed
            if picture is self._detail and picture.unwritten and self._overview is not None:
                # The coarse picture behind must not shine through what is transparent in the fine one.
                target = self._target(place.rect)
                painter.fillRect(target.intersected(plane), hatch_ground(self._theme))
                painter.fillRect(
                    target.intersected(plane),
                    QBrush(self._theme.color("bad"), Qt.BrushStyle.BDiagPattern),
                )
            self._draw_image(painter, picture, plane)

    def _target(self, rect: QRectF) -> QRectF:
        return QRectF(
            self.to_widget(rect.top(), rect.left()), self.to_widget(rect.bottom(), rect.right())
        )

    def _draw_image(self, painter: QPainter, picture: PlaneImage, plane: QRectF) -> None:
        place, image = picture.placed, picture.image
        whole = QRectF(
            place.column, place.row, image.width() * place.across, image.height() * place.down
        )
        shown = QRectF(self.visible()).intersected(place.rect)
        if shown.isEmpty():
            return
        # Only the cells in view are scaled; the last row and column of cells may be cut short.
        left = math.floor((shown.left() - whole.left()) / place.across)
        top = math.floor((shown.top() - whole.top()) / place.down)
        right = min(math.ceil((shown.right() - whole.left()) / place.across), image.width())
        bottom = min(math.ceil((shown.bottom() - whole.top()) / place.down), image.height())
        target = self._target(
            QRectF(
                whole.left() + left * place.across, whole.top() + top * place.down,
                (right - left) * place.across, (bottom - top) * place.down,
            )
        )  # fmt: skip
        painter.save()
        painter.setClipRect(plane, Qt.ClipOperation.IntersectClip)
        smaller = self._scale_x * place.across * self.devicePixelRatioF() < 1.0
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smaller)
        painter.drawImage(target, image, QRectF(left, top, right - left, bottom - top))
        painter.restore()

    def _sharpest(self) -> PlaneImage | None:
        detail = self._detail
        if detail is not None and detail.placed.rect.intersects(QRectF(self.visible())):
            return detail
        return self._overview

    def _paint_lines(self, painter: QPainter, area: QRectF) -> None:
        picture = self._sharpest()
        if min(self._scale_x, self._scale_y) >= 9.0:
            faint = self._theme.color("text")
            faint.setAlphaF(0.16)
            painter.setPen(QPen(faint, 1))
            shown = self.visible()
            for column in range(shown.left(), shown.right() + 2):
                x = self.to_widget(0, column).x()
                painter.drawLine(QPointF(x, area.top()), QPointF(x, self._end().y()))
            for row in range(shown.top(), shown.bottom() + 2):
                y = self.to_widget(row, 0).y()
                painter.drawLine(QPointF(area.left(), y), QPointF(self._end().x(), y))
        if picture is None or not picture.lines:
            return
        strong = self._theme.color("plot_background")
        strong.setAlphaF(0.85)
        # Borders closer than a few pixels would cover the tiles they separate.
        if len(picture.lines) > max(area.width(), area.height()) / 3:
            strong.setAlphaF(0.35)
        painter.setPen(QPen(strong, 1))
        for line in picture.lines:
            painter.drawLine(
                self.to_widget(line.y1(), line.x1()), self.to_widget(line.y2(), line.x2())
            )

    def _end(self) -> QPointF:
        area, end = self.plot_area(), self.to_widget(self._rows, self._columns)
        return QPointF(min(end.x(), area.right()), min(end.y(), area.bottom()))

    def _paint_labels(self, painter: QPainter, area: QRectF) -> None:
        picture = self._sharpest()
        if picture is None:
            return
        metrics = self.fontMetrics()
        for rect, program in picture.labels:
            target = self._target(rect).intersected(area)
            text = str(program)
            width = metrics.horizontalAdvance(text) + 6
            if target.width() < width + 4 or target.height() < metrics.height() + 2:
                continue
            box = QRectF(0, 0, width, metrics.height())
            box.moveCenter(target.center())
            ground = self._theme.color("plot_background")
            ground.setAlphaF(0.78)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(self._theme.color("text"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_footprint(self, painter: QPainter, area: QRectF) -> None:
        shape = self._footprint_in_view()
        if shape is None:
            return
        scrim = self._theme.color("plot_background")
        scrim.setAlphaF(0.62)
        painter.fillRect(area, scrim)
        if shape.image is not None:
            painter.setOpacity(0.85)
            painter.drawImage(self._target(shape.placed.rect), shape.image)
            painter.setOpacity(1.0)
            return
        stores, loads = footprint_styles(self._theme)
        for rects, (brush, pen) in ((shape.stores, stores), (shape.loads, loads)):
            painter.setPen(pen)
            painter.setBrush(brush)
            for rect in rects:
                target = self._target(rect).adjusted(0.5, 0.5, -0.5, -0.5)
                # A footprint thinner than a pixel must still be seen.
                target.setWidth(max(target.width(), 1.0))
                target.setHeight(max(target.height(), 1.0))
                if target.intersects(area):
                    painter.drawRect(target)

    def _footprint_in_view(self) -> FootprintShape | None:
        view = QRectF(self.visible())
        for shape in reversed(self._footprints):
            if shape.placed.rect.contains(view):
                return shape
        return self._footprints[0] if self._footprints else None

    def _paint_hover(self, painter: QPainter) -> None:
        if self._hover is None:
            return
        row, column = self._hover
        cell = self._target(QRectF(column, row, 1, 1))
        if cell.width() >= 3 and cell.height() >= 3:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("plot_background"), 3))
            painter.drawRect(cell)
            painter.setPen(QPen(self._theme.color("text"), 1))
            painter.drawRect(cell)

    def _paint_rulers(self, painter: QPainter, area: QRectF) -> None:
        theme, metrics = self._theme, self.fontMetrics()
        painter.setPen(theme.color("muted"))
        painter.fillRect(QRectF(0, 0, area.left(), self.height()), theme.color("plot_background"))
        painter.fillRect(QRectF(0, 0, self.width(), area.top()), theme.color("plot_background"))
        shown = self.visible()
        tick = metrics.height() * 0.3
        widest = metrics.horizontalAdvance(str(self._columns)) + metrics.height()
        step = nice_step(widest / self._scale_x)
        for column in range(-(-shown.left() // step) * step, shown.right() + 1, step):
            x = self.to_widget(0, column).x()
            painter.drawLine(QPointF(x, area.top() - tick), QPointF(x, area.top()))
            box = QRectF(x + 2, 0, widest, area.top() - tick * 0.5)
            if box.right() <= self.width() + metrics.height():
                painter.drawText(
                    box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, str(column)
                )
        step = nice_step(metrics.height() * 2.0 / self._scale_y)
        for row in range(-(-shown.top() // step) * step, shown.bottom() + 1, step):
            y = self.to_widget(row, 0).y()
            painter.drawLine(QPointF(area.left() - tick, y), QPointF(area.left(), y))
            box = QRectF(0, y, area.left() - tick * 1.4, metrics.height())
            text = str(row * self._columns if self._fold else row)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, text)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))

    # ------------------------------------------------------------------------------ input

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the cursor."""
        steps = event.angleDelta().y() / 120
        if steps:
            self.zoom(ZOOM_STEP**steps, event.position())
            self._hover_at(event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pan, or pick when the mouse does not move."""
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press = event.position()
            self._pressed_origin = QPointF(self._origin)
            self._dragged = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while pressed, hover otherwise."""
        if self._press is None:
            self._hover_at(event.position())
            return
        delta = event.position() - self._press
        if not self._dragged and delta.manhattanLength() < 4:
            return
        self._dragged = True
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._origin = self._pressed_origin - QPointF(
            delta.x() / self._scale_x, delta.y() / self._scale_y
        )
        self._fitted = False
        self._clamp()
        self._moved()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the element under a click."""
        if self._press is None:
            return
        self._press = None
        self.unsetCursor()
        if not self._dragged and event.button() == Qt.MouseButton.LeftButton:
            element = self.element_at(event.position())
            if element is not None:
                self.picked.emit(*element)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom in at the cursor."""
        self.zoom(ZOOM_STEP**3, event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the element under the cursor."""
        self._set_hover(None)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Hover at once where the cursor comes in."""
        self._hover_at(event.position())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pan with the arrows, zoom with + and −, fit with 0, step programs with the page keys."""
        key = event.key()
        far = 160 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 40
        moves = {
            Qt.Key.Key_Left: (-far, 0), Qt.Key.Key_Right: (far, 0),
            Qt.Key.Key_Up: (0, -far), Qt.Key.Key_Down: (0, far),
        }  # fmt: skip
        if key in moves:
            self.pan(*moves[Qt.Key(key)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(ZOOM_STEP, self._cursor())
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / ZOOM_STEP, self._cursor())
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.fit()
        elif key == Qt.Key.Key_PageDown:
            self.stepRequested.emit(1)
        elif key == Qt.Key.Key_PageUp:
            self.stepRequested.emit(-1)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a fitted plane fitted."""
        if self._fitted:
            self.fit()
        else:
            self._clamp()
            self._moved()

    def _cursor(self) -> QPointF | None:
        position = QPointF(self.mapFromGlobal(QCursor.pos()))
        return position if self.plot_area().contains(position) and self.underMouse() else None

    def _hover_at(self, position: QPointF) -> None:
        self._set_hover(self.element_at(position))

    def _set_hover(self, element: tuple[int, int] | None) -> None:
        if element == self._hover:
            return
        self._hover = element
        self.update()
        if element is None:
            self.left.emit()
        else:
            self.hovered.emit(*element)


def hatch_ground(theme: Theme) -> QColor:
    """Return the ground under the hatching of unwritten elements."""
    return blend(theme.color("bad"), theme.color("plot_background"), 0.22)


def footprint_styles(theme: Theme) -> tuple[tuple[QBrush, QPen], tuple[QBrush, QPen]]:
    """Return brush and pen of a program's stores (filled) and of its loads (hatched, dashed)."""
    store, load = theme.color("accent"), theme.color("plot_2")
    fill = QColor(store)
    fill.setAlphaF(0.72)
    return (
        (QBrush(fill), QPen(theme.color("text"), 1.5)),
        (QBrush(load, Qt.BrushStyle.FDiagPattern), QPen(load, 1.5, Qt.PenStyle.DashLine)),
    )


def nice_step(least: float) -> int:
    """Return the smallest power of two that is at least `least`: kernels count in those."""
    step = 1
    while step < least:
        step *= 2
    return step
