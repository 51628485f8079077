"""The canvas of a tensor: pans and zooms pictures of any size, with rulers and overlays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QCursor,
    QEnterEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from playground.ui.views.plane_geometry import PlaneGeometry
from playground.ui.views.plane_painting import PlanePainting

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.theme import Theme
    from playground.ui.views.plane_footprint import FootprintShape
    from playground.ui.views.plane_image import PlaneImage

ZOOM_STEP = 1.25
POINT_CELL = 12.0


class PlaneCanvas(PlaneGeometry):
    """Draws a plane of elements: the overview at once, a sharper detail of what is visible on top.

    The canvas knows geometry and pictures only. `hovered` and `picked` carry row and column of an
    element, `left` tells that there is none.
    """

    hovered = Signal(int, int)
    left = Signal()
    picked = Signal(int, int)
    stepRequested = Signal(int)

    def __init__(self, name: str, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.theme = theme
        self._painting = PlanePainting(self)
        self.overview: PlaneImage | None = None
        self.detail: PlaneImage | None = None
        self.footprints: tuple[FootprintShape, ...] = ()
        self.preview = False
        self.step: FootprintShape | None = None
        self.outlines: tuple[tuple[QRectF, str], ...] = ()
        self.cell_text: Callable[[int, int], str] | None = None
        self.hover: tuple[int, int] | None = None
        self._press: QPointF | None = None
        self._pressed_origin = QPointF()
        self._dragged = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self.update)

    # ------------------------------------------------------------------------------ content

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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw pictures, overlays and rulers."""
        painter = QPainter(self)
        self._painting.paint(painter)

    def element_text(self, row: int, column: int) -> str:
        """Return what stands in the cell of an element where cells are large."""
        return f"{row}, {column}" if self.cell_text is None else self.cell_text(row, column)

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
