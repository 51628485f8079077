"""The canvas of a tensor: pans and zooms pictures of any size, with rulers and overlays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QCursor,
    QEnterEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.views.plane_painting import PlanePainting

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.theme import Theme
    from playground.ui.views.plane_footprint import FootprintShape
    from playground.ui.views.plane_image import PlaneImage

MAX_CELL = 96.0
ZOOM_STEP = 1.25
POINT_CELL = 12.0


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

    def __init__(self, name: str, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._painting = PlanePainting(self, theme)
        self.rows = self.columns = 0
        self.scale_x = self.scale_y = 1.0
        self.origin = QPointF()
        self.overview: PlaneImage | None = None
        self.detail: PlaneImage | None = None
        self.footprints: tuple[FootprintShape, ...] = ()
        self.preview = False
        self.step: FootprintShape | None = None
        self.outlines: tuple[tuple[QRectF, str], ...] = ()
        self.cell_text: Callable[[int, int], str] | None = None
        self.hover: tuple[int, int] | None = None
        self.folded = False
        self._area: QRectF | None = None
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
        self.folded = folded
        self._area = None
        if (rows, columns) != (self.rows, self.columns):
            self.rows, self.columns = rows, columns
            self.fit()

    def show_pictures(self, overview: PlaneImage | None, detail: PlaneImage | None) -> None:
        """Draw these pictures from now on."""
        self.overview, self.detail = overview, detail
        self.update()

    def show_footprints(
        self, footprints: tuple[FootprintShape, ...], *, preview: bool = False
    ) -> None:
        """Highlight what programs touch; the last one that covers the view is drawn.

        A preview is outlined only, everything else around it stays as bright as it is.
        """
        if footprints or self.footprints or preview != self.preview:
            self.footprints, self.preview = footprints, preview
            self.update()

    def show_step(self, step: FootprintShape | None) -> None:
        """Highlight what one step of a program touches, over its whole footprint."""
        if step is not None or self.step is not None:
            self.step = step
            self.update()

    def show_outlines(self, outlines: tuple[tuple[QRectF, str], ...]) -> None:
        """Draw a line around rectangles of elements, each in a colour of the theme."""
        if outlines != self.outlines:
            self.outlines = outlines
            self.update()

    # ------------------------------------------------------------------------------ geometry

    def sizeHint(self) -> QSize:
        """Return a comfortable size for a picture."""
        unit = self.fontMetrics().height()
        return QSize(unit * 32, unit * 24)

    def minimumSizeHint(self) -> QSize:
        """Return the least size with which tiles can be told apart."""
        unit = self.fontMetrics().height()
        return QSize(unit * 4, unit * 3)

    @property
    def bare(self) -> bool:
        """Whether there is no room for rulers."""
        unit = self.fontMetrics().height()
        return self.width() < unit * 15 or self.height() < unit * 8

    def plot_area(self) -> QRectF:
        """Return where elements are drawn: the widget without its rulers."""
        if self._area is None:
            self._area = self._make_area()
        return self._area

    def _make_area(self) -> QRectF:
        metrics = self.fontMetrics()
        if self.bare:
            return QRectF(1, 1, max(self.width() - 2, 1), max(self.height() - 2, 1))
        longest = self.rows * self.columns if self.folded else self.rows
        gutter = metrics.horizontalAdvance(str(max(longest, 1000))) + metrics.height()
        top = metrics.height() * 1.5
        return QRectF(
            gutter, top, max(self.width() - gutter - 2, 1), max(self.height() - top - 2, 1)
        )

    def to_widget(self, row: float, column: float) -> QPointF:
        """Return where the corner of an element is drawn."""
        area = self.plot_area()
        return QPointF(
            area.left() + (column - self.origin.x()) * self.scale_x,
            area.top() + (row - self.origin.y()) * self.scale_y,
        )

    def target(self, rect: QRectF) -> QRectF:
        """Return where a rectangle of elements is drawn."""
        return QRectF(
            self.to_widget(rect.top(), rect.left()), self.to_widget(rect.bottom(), rect.right())
        )

    def element_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return row and column of the element under a point, None outside the plane."""
        area = self.plot_area()
        if not area.contains(position):
            return None
        column = math.floor((position.x() - area.left()) / self.scale_x + self.origin.x())
        row = math.floor((position.y() - area.top()) / self.scale_y + self.origin.y())
        if 0 <= row < self.rows and 0 <= column < self.columns:
            return row, column
        return None

    def visible(self) -> QRect:
        """Return the elements in view: x is the first column, y the first row."""
        area = self.plot_area()
        left = max(math.floor(self.origin.x()), 0)
        top = max(math.floor(self.origin.y()), 0)
        right = min(math.ceil(self.origin.x() + area.width() / self.scale_x), self.columns)
        bottom = min(math.ceil(self.origin.y() + area.height() / self.scale_y), self.rows)
        return QRect(left, top, max(right - left, 0), max(bottom - top, 0))

    def fit(self) -> None:
        """Show the whole plane; a long and thin one is stretched across its short side."""
        self._fitted = True
        if not self.rows or not self.columns:
            return
        area = self.plot_area()
        across, down = area.width() / self.columns, area.height() / self.rows
        if self.folded:
            # The fold is no geometry of the user's: a folded tensor takes all the room there is.
            self.scale_x, self.scale_y = across, down
        else:
            # Square elements, unless that would leave less than a quarter of a side to look at.
            scale = min(across, down)
            self.scale_x = max(scale, across / 4)
            self.scale_y = max(scale, down / 4)
        self.scale_x = min(self.scale_x, MAX_CELL)
        self.scale_y = min(self.scale_y, MAX_CELL)
        # What is smaller than the view stands in its middle.
        self.origin = QPointF(
            min((self.columns - area.width() / self.scale_x) / 2, 0.0),
            min((self.rows - area.height() / self.scale_y) / 2, 0.0),
        )
        self._moved()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom by `factor` and keep the element under `at` where it is (by default the centre)."""
        area = self.plot_area()
        at = at or area.center()
        fixed = QPointF(
            self.origin.x() + (at.x() - area.left()) / self.scale_x,
            self.origin.y() + (at.y() - area.top()) / self.scale_y,
        )
        least = min(
            area.width() / max(self.columns, 1), area.height() / max(self.rows, 1), MAX_CELL
        )
        low = min(self.scale_x, self.scale_y)
        high = max(self.scale_x, self.scale_y)
        if factor < 1 and factor <= least / low:
            self.fit()
            return
        factor = min(factor, MAX_CELL / high)
        self.scale_x *= factor
        self.scale_y *= factor
        self.origin = QPointF(
            fixed.x() - (at.x() - area.left()) / self.scale_x,
            fixed.y() - (at.y() - area.top()) / self.scale_y,
        )
        self._fitted = False
        self._clamp()
        self._moved()

    def pan(self, dx: float, dy: float) -> None:
        """Move the view by logical pixels."""
        self.origin += QPointF(dx / self.scale_x, dy / self.scale_y)
        self._fitted = False
        self._clamp()
        self._moved()

    def bring_into_view(self, rect: QRectF) -> None:
        """Centre a rectangle of elements unless some of it is in view already."""
        if rect.isEmpty() or QRectF(self.visible()).intersects(rect):
            return
        area = self.plot_area()
        self.origin = QPointF(
            rect.center().x() - area.width() / self.scale_x / 2,
            rect.center().y() - area.height() / self.scale_y / 2,
        )
        self._clamp()
        self._moved()

    def point_at(self, row: int, column: int) -> None:
        """Bring one element into the middle, near enough to see it as a cell, as if hovered."""
        area = self.plot_area()
        if min(self.scale_x, self.scale_y) < POINT_CELL:
            self.zoom(POINT_CELL / min(self.scale_x, self.scale_y))
        self.origin = QPointF(
            column + 0.5 - area.width() / self.scale_x / 2,
            row + 0.5 - area.height() / self.scale_y / 2,
        )
        self._fitted = False
        self._clamp()
        self._moved()
        self._set_hover((row, column))

    def _clamp(self) -> None:
        area = self.plot_area()
        # The middle of the view stays on the plane: zooming keeps its place under the cursor up to
        # the edges, and the plane is never lost from sight.
        half_x = area.width() / self.scale_x / 2
        half_y = area.height() / self.scale_y / 2
        self.origin = QPointF(
            min(max(self.origin.x(), -half_x), self.columns - half_x),
            min(max(self.origin.y(), -half_y), self.rows - half_y),
        )

    def _moved(self) -> None:
        self.update()
        self.viewChanged.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw pictures, overlays and rulers."""
        painter = QPainter(self)
        self._painting.paint(painter)

    def element_text(self, row: int, column: int) -> str:
        """Return what stands in the cell of an element where cells are large."""
        return f"{row}, {column}" if self.cell_text is None else self.cell_text(row, column)

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
            self._pressed_origin = QPointF(self.origin)
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
        self.origin = self._pressed_origin - QPointF(
            delta.x() / self.scale_x, delta.y() / self.scale_y
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
        self._area = None
        if self._fitted:
            self.fit()
        else:
            self._clamp()
            self._moved()

    def changeEvent(self, event: QEvent) -> None:
        """Make room for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._area = None

    def _cursor(self) -> QPointF | None:
        position = QPointF(self.mapFromGlobal(QCursor.pos()))
        return position if self.plot_area().contains(position) and self.underMouse() else None

    def _hover_at(self, position: QPointF) -> None:
        self._set_hover(self.element_at(position))

    def _set_hover(self, element: tuple[int, int] | None) -> None:
        if element == self.hover:
            return
        # Only the two cells are drawn again: hovering a large picture must cost nothing.
        for cell in (self.hover, element):
            if cell is not None:
                box = self.target(QRectF(cell[1], cell[0], 1, 1)).adjusted(-4, -4, 4, 4)
                self.update(box.toAlignedRect())
        self.hover = element
        if element is None:
            self.left.emit()
        else:
            self.hovered.emit(*element)
