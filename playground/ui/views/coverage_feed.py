"""Fetches what the tile map draws: pictures as sharp as the screen, elements and footprints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Signal

from playground.model.plane import index_at
from playground.protocol.messages import Element, Paint, Plane, PlaneView, ProgramFootprint
from playground.ui.views.newest import Newest
from playground.ui.views.plane_image import FootprintShape, PlaneImage, colour, footprint_shape

if TYPE_CHECKING:
    from playground.model.coverage import TensorCoverage
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.plane_canvas import PlaneCanvas

OVERVIEW_CELLS = 1024
MAX_CELLS = 4096
HOVER_MS = 30


class CoverageFeed(QObject):
    """Keeps a canvas supplied: the overview once, a detail of what is visible whenever it moves.

    Pan and zoom draw what is there at once; the sharper picture follows, and only the newest
    question counts.
    """

    pictured = Signal()
    element = Signal(object)
    footprint = Signal(int, int)
    owner_picked = Signal(int)

    def __init__(
        self, document: Document, theme: Theme, canvas: PlaneCanvas, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._document, self._theme, self._canvas = document, theme, canvas
        self._tensor: TensorCoverage | None = None
        self._paint: Paint = "owner"
        self._slices: tuple[int, ...] = ()
        self._program: int | None = None
        self._plane: Plane | None = None
        self._detail_plane: Plane | None = None
        self._overview: PlaneImage | None = None
        self._detail: PlaneImage | None = None
        self._shapes: tuple[FootprintShape, ...] = ()
        self._overviews = Newest(0, self)
        self._details = Newest(15, self)
        self._elements = Newest(HOVER_MS, self)
        self._picks = Newest(0, self)
        self._footprints = Newest(15, self)
        self._sharper = Newest(30, self)
        canvas.viewChanged.connect(self._ask_detail)
        theme.changed.connect(self._recolour)

    @property
    def idle(self) -> bool:
        """Whether everything that was asked for has come."""
        return all(
            newest.idle
            for newest in (
                self._overviews, self._details, self._elements, self._picks, self._footprints,
                self._sharper,
            )
        )  # fmt: skip

    # ------------------------------------------------------------------------------ pictures

    def clear(self) -> None:
        """Show nothing: there is no coverage."""
        for newest in (
            self._overviews, self._details, self._elements, self._picks, self._footprints,
            self._sharper,
        ):  # fmt: skip
            newest.forget()
        self._tensor = None
        self._plane = self._detail_plane = None
        self._overview = self._detail = None
        self._shapes = ()
        self._canvas.show_pictures(None, None)
        self._canvas.show_footprints(())

    def show(self, tensor: TensorCoverage, paint: Paint, slices: tuple[int, ...]) -> None:
        """Show another tensor, paint or slice, or the same one counted again."""
        same_place = (
            self._tensor is not None
            and (self._tensor.name, self._tensor.shape) == (tensor.name, tensor.shape)
            and (self._paint, self._slices) == (paint, slices)
        )
        self._tensor, self._paint, self._slices = tensor, paint, slices
        for newest in (self._overviews, self._details, self._elements, self._sharper):
            newest.forget()
        if not same_place:
            # The old picture stays up only where the new one will look alike: while a knob moves.
            self._plane = self._detail_plane = None
            self._overview = self._detail = None
            self._canvas.show_pictures(None, None)
            # What a program touches elsewhere says nothing about this tensor.
            self._footprints.forget()
            self._shapes = ()
            self._canvas.show_footprints(())
        view = PlaneView(slices=slices, max_rows=OVERVIEW_CELLS, max_columns=OVERVIEW_CELLS)
        self._overviews.ask(
            lambda answer: self._document.request_plane(tensor.name, paint, view, answer),
            self._take_overview,
        )

    def _take_overview(self, plane: Plane) -> None:
        self._plane, self._detail_plane, self._detail = plane, None, None
        self._overview = colour(plane, self._theme, self._fold_elements())
        self._canvas.set_plane(
            plane.plane_rows, plane.plane_columns, folded=self._fold_elements() is not None
        )
        self._canvas.show_pictures(self._overview, None)
        self.pictured.emit()
        self._ask_detail()

    def _take_detail(self, plane: Plane) -> None:
        self._detail_plane = plane
        self._detail = colour(plane, self._theme, self._fold_elements())
        self._canvas.show_pictures(self._overview, self._detail)

    def _recolour(self) -> None:
        if self._plane is not None:
            self._overview = colour(self._plane, self._theme, self._fold_elements())
        if self._detail_plane is not None:
            self._detail = colour(self._detail_plane, self._theme, self._fold_elements())
        self._canvas.show_pictures(self._overview, self._detail)
        if self._program is not None:
            self.show_program(self._program)

    def _fold_elements(self) -> int | None:
        tensor = self._tensor
        return tensor.elements if tensor is not None and len(tensor.shape) == 1 else None

    def _wanted(self) -> PlaneView | None:
        """Return the view that would be as sharp as the screen, None if what is there suffices."""
        canvas, overview = self._canvas, self._overview
        if overview is None:
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
        paint = self._paint
        self._details.ask(
            lambda answer: self._document.request_plane(tensor.name, paint, view, answer),
            self._take_detail,
        )
        self._ask_sharper(view)

    # ------------------------------------------------------------------------------ elements

    def ask_element(self, row: int, column: int) -> None:
        """Ask for the exact counters of the element under the cursor."""
        tensor, slices = self._tensor, self._slices
        if tensor is None or index_at(tensor.shape, row, column, slices) is None:
            return
        self._elements.ask(
            lambda answer: self._document.request_element(tensor.name, row, column, slices, answer),
            self.element.emit,
        )

    def forget_element(self) -> None:
        """Ignore an answer that is still to come: the cursor is gone."""
        self._elements.forget()

    def pick(self, row: int, column: int) -> None:
        """Find the program behind an element: its owner, or else the first that loads it."""
        tensor, slices = self._tensor, self._slices
        if tensor is None or index_at(tensor.shape, row, column, slices) is None:
            return
        self._picks.ask(
            lambda answer: self._document.request_element(tensor.name, row, column, slices, answer),
            self._take_pick,
        )

    def _take_pick(self, element: Element) -> None:
        program = element.owner if element.owner >= 0 else element.first_loader
        if program >= 0:
            self.owner_picked.emit(program)

    # ------------------------------------------------------------------------------ footprints

    def show_program(self, program: int | None) -> None:
        """Highlight what a program touches in the tensor shown, or nothing."""
        self._program = program
        tensor = self._tensor
        self._sharper.forget()
        if program is None or tensor is None:
            self._footprints.forget()
            self._shapes = ()
            self._canvas.show_footprints(())
            return
        view = PlaneView(slices=self._slices, max_rows=OVERVIEW_CELLS, max_columns=OVERVIEW_CELLS)
        self._footprints.ask(
            lambda answer: self._document.request_program(tensor.name, program, view, answer),
            self._take_footprint,
        )

    def _take_footprint(self, reply: ProgramFootprint) -> None:
        if reply.program != self._program:
            return
        shape = self._shape(reply)
        self._shapes = (shape,)
        self._canvas.show_footprints(self._shapes)
        self.footprint.emit(reply.loads, reply.stores)
        self._canvas.bring_into_view(shape.bounds)
        if not shape.placed.exact:
            visible = self._canvas.visible()
            if QRectF(visible) != shape.placed.rect:
                self._ask_sharper(self._view_of_visible())

    def _view_of_visible(self) -> PlaneView:
        visible = self._canvas.visible()
        return PlaneView(
            visible.top(), visible.left(), visible.height(), visible.width(), self._slices,
            OVERVIEW_CELLS, OVERVIEW_CELLS,
        )  # fmt: skip

    def _ask_sharper(self, view: PlaneView) -> None:
        tensor, program = self._tensor, self._program
        if tensor is None or program is None or not self._shapes:
            return
        if self._shapes[0].placed.exact or not view.rows or not view.columns:
            return
        self._sharper.ask(
            lambda answer: self._document.request_program(tensor.name, program, view, answer),
            self._take_sharper,
        )

    def _take_sharper(self, reply: ProgramFootprint) -> None:
        if reply.program == self._program and self._shapes:
            self._shapes = (self._shapes[0], self._shape(reply))
            self._canvas.show_footprints(self._shapes)

    def _shape(self, reply: ProgramFootprint) -> FootprintShape:
        return footprint_shape(reply, self._canvas.rows, self._canvas.columns, self._theme)
