"""Fetches what one tile map draws: pictures as sharp as the screen, and elements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Signal

from playground.model.plane import index_at
from playground.protocol.messages import Element, Plane, PlaneView
from playground.ui.views.footprint_feed import FootprintFeed
from playground.ui.views.newest import Newest
from playground.ui.views.plane_colours import Colouring
from playground.ui.views.plane_image import PlaneImage, colour

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.coverage import TensorCoverage
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.footprints import Footprints
    from playground.ui.views.plane_canvas import PlaneCanvas

OVERVIEW_CELLS, SMALL_CELLS = 1024, 512
MAX_CELLS = 4096
HOVER_MS = 30


class CoverageFeed(QObject):
    """Keeps a canvas supplied: the overview once, a detail of what is visible whenever it moves.

    Pan and zoom draw what is there at once; the sharper picture follows, and only the newest
    question counts. `footprint` does the same for what programs touch.
    """

    pictured = Signal()
    element = Signal(object)
    owner_picked = Signal(int)

    def __init__(
        self,
        document: Document,
        theme: Theme,
        canvas: PlaneCanvas,
        footprints: Footprints,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document, self._theme, self._canvas = document, theme, canvas
        self.footprint = FootprintFeed(theme, canvas, footprints, self)
        self._tensor: TensorCoverage | None = None
        self._colouring = Colouring()
        self._slices: tuple[int, ...] = ()
        self._plane: Plane | None = None
        self._detail_plane: Plane | None = None
        self._overview: PlaneImage | None = None
        self._detail: PlaneImage | None = None
        self._overviews = Newest(0, self)
        self._details = Newest(15, self)
        self._elements = Newest(HOVER_MS, self)
        self._picks = Newest(0, self)
        canvas.viewChanged.connect(self._ask_detail)
        theme.changed.connect(self._recolour)

    @property
    def idle(self) -> bool:
        """Whether everything that was asked for has come."""
        asked = (self._overviews, self._details, self._elements, self._picks)
        return self.footprint.idle and all(newest.idle for newest in asked)

    # ------------------------------------------------------------------------------ pictures

    def clear(self) -> None:
        """Show nothing: there is no coverage."""
        for newest in (self._overviews, self._details, self._elements, self._picks):
            newest.forget()
        self._tensor = None
        self._plane = self._detail_plane = None
        self._overview = self._detail = None
        self._canvas.show_pictures(None, None)
        self.footprint.clear()

    def show(self, tensor: TensorCoverage, colouring: Colouring, slices: tuple[int, ...]) -> None:
        """Show another tensor, slice or colours, or the same counted again."""
        before = self._tensor
        same_place = (
            before is not None
            and (before.name, before.shape, self._slices) == (tensor.name, tensor.shape, slices)
            and self._colouring.paint == colouring.paint
        )
        recounted = before is not tensor
        self._tensor, self._slices = tensor, slices
        self._colouring = colouring
        self.footprint.set_place(tensor.name, tensor.shape, slices, recounted=recounted)
        if same_place and not recounted:
            # The numbers are there; only what they are drawn in is another.
            self._recolour()
            return
        for newest in (self._overviews, self._details, self._elements):
            newest.forget()
        if not same_place:
            # The old picture stays up only where the new one will look alike: while a knob moves.
            self._plane = self._detail_plane = None
            self._overview = self._detail = None
            self._canvas.show_pictures(None, None)
        # Of a small map a coarser picture does; made large, a sharper one is asked for.
        cells = SMALL_CELLS if self._canvas.bare else OVERVIEW_CELLS
        view = PlaneView(slices=slices, max_rows=cells, max_columns=cells)
        self._overviews.ask(
            lambda answer: self._document.request_plane(tensor.name, colouring.paint, view, answer),
            self._take_overview,
        )

    def _take_overview(self, plane: Plane) -> None:
        self._plane, self._detail_plane, self._detail = plane, None, None
        self._overview = self._coloured(plane)
        self._canvas.set_plane(
            plane.plane_rows, plane.plane_columns, folded=self._fold_elements() is not None
        )
        self._canvas.show_pictures(self._overview, None)
        self.pictured.emit()
        self._ask_detail()

    def _take_detail(self, plane: Plane) -> None:
        self._detail_plane = plane
        self._detail = self._coloured(plane)
        self._canvas.show_pictures(self._overview, self._detail)

    def _coloured(self, plane: Plane) -> PlaneImage:
        return colour(plane, self._theme, self._fold_elements(), self._colouring)

    def _recolour(self) -> None:
        if self._plane is not None:
            self._overview = self._coloured(self._plane)
        if self._detail_plane is not None:
            self._detail = self._coloured(self._detail_plane)
        self._canvas.show_pictures(self._overview, self._detail)

    def _fold_elements(self) -> int | None:
        tensor = self._tensor
        return tensor.elements if tensor is not None and len(tensor.shape) == 1 else None

    def _wanted(self) -> PlaneView | None:
        """Return the view that would be as sharp as the screen, None if what is there suffices."""
        canvas, overview = self._canvas, self._overview
        if overview is None or not canvas.isVisible():
            return None
        ratio = canvas.devicePixelRatioF()
        # A cell of about a pixel: more of them would cost time and show nothing more.
        across = max(1, math.ceil(1 / (canvas.scale_x * ratio) - 0.3))
        down = max(1, math.ceil(1 / (canvas.scale_y * ratio) - 0.3))
        visible = canvas.visible()
        for picture in (overview, self._detail):
            if picture is None:
                continue
            place = picture.placed
            if (
                place.across <= across
                and place.down <= down
                and place.rect.contains(QRectF(visible))
            ):
                return None
        # A margin lets a short pan find its picture already there; starts are whole blocks, so that
        # pixels do not shift against each other from one picture to the next.
        margin_x, margin_y = visible.width() // 8, visible.height() // 8
        left = max(visible.left() - margin_x, 0) // across * across
        top = max(visible.top() - margin_y, 0) // down * down
        right = min(visible.left() + visible.width() + margin_x, canvas.columns)
        bottom = min(visible.top() + visible.height() + margin_y, canvas.rows)
        columns, rows = right - left, bottom - top
        if rows <= 0 or columns <= 0:
            return None
        return PlaneView(
            top, left, rows, columns, self._slices,
            min(-(-rows // down), MAX_CELLS), min(-(-columns // across), MAX_CELLS),
        )  # fmt: skip

    def _ask_detail(self) -> None:
        view, tensor = self._wanted(), self._tensor
        if view is None or tensor is None:
            return
        paint = self._colouring.paint
        self._details.ask(
            lambda answer: self._document.request_plane(tensor.name, paint, view, answer),
            self._take_detail,
        )
        self.footprint.sharpen(view)

    # ------------------------------------------------------------------------------ elements

    def ask_element(self, row: int, column: int) -> None:
        """Ask for the exact counters of the element under the cursor."""
        self._ask(self._elements, row, column, self.element.emit)

    def forget_element(self) -> None:
        """Ignore an answer that is still to come: the cursor is gone."""
        self._elements.forget()

    def pick(self, row: int, column: int) -> None:
        """Find the program behind an element: its owner, or else the first that loads it."""
        self._ask(self._picks, row, column, self._take_pick)

    def _ask(self, newest: Newest, row: int, column: int, take: Callable[[Element], None]) -> None:
        tensor, slices = self._tensor, self._slices
        if tensor is None or index_at(tensor.shape, row, column, slices) is None:
            return
        newest.ask(
            lambda answer: self._document.request_element(tensor.name, row, column, slices, answer),
            take,
        )

    def _take_pick(self, element: Element) -> None:
        program = program_of(element)
        if program is not None:
            self.owner_picked.emit(program)


def program_of(element: Element) -> int | None:
    """Return the program an element belongs to: its owner, else the first that loads it."""
    program = element.owner if element.owner >= 0 else element.first_loader
    return program if program >= 0 else None
