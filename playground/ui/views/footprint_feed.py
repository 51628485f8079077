"""Keeps a canvas supplied with what the programs looked at touch in its tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Signal

from playground.protocol.messages import PlaneView, ProgramFootprint
from playground.ui.views.plane_footprint import (
    LOADED,
    STORED,
    FootprintShape,
    footprint_shape,
    step_shape,
)

if TYPE_CHECKING:
    import numpy as np

    from playground.ui.theme import Theme
    from playground.ui.views.footprints import Footprints
    from playground.ui.views.plane_canvas import PlaneCanvas

FOOTPRINT_CELLS = 1024


class FootprintFeed(QObject):
    """Shows what programs touch: the whole plane first, a sharper shape of what is visible then.

    `counted` tells that their loads and stores in the tensor are known, or are no longer.
    """

    counted = Signal()

    def __init__(
        self, theme: Theme, canvas: PlaneCanvas, footprints: Footprints, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._theme, self._canvas, self._footprints = theme, canvas, footprints
        self._name = ""
        self._shape: tuple[int, ...] = ()
        self._slices: tuple[int, ...] = ()
        self._programs: tuple[int, ...] = ()
        self._preview = False
        self._replies: list[ProgramFootprint] = []
        self.shapes: tuple[FootprintShape, ...] = ()
        self._step: tuple[np.ndarray, bool] | None = None
        self._waiting = False
        theme.changed.connect(self._redraw)

    @property
    def idle(self) -> bool:
        """Whether what is shown is what is wanted."""
        return not self._waiting and self._footprints.idle

    @property
    def counts(self) -> tuple[int, int] | None:
        """How many elements the programs load and store here, None while that is not known."""
        if self._waiting or not self.shapes:
            return None
        return self.shapes[0].load_count, self.shapes[0].store_count

    @property
    def elsewhere(self) -> bool:
        """Whether one chosen program touches the tensor, but nothing of the slice shown."""
        if self._preview or len(self._programs) != 1 or len(self._shape) < 3:
            return False
        return any(self.counts or ()) and self.shapes[0].empty

    def set_place(
        self, name: str, shape: tuple[int, ...], slices: tuple[int, ...], *, recounted: bool
    ) -> None:
        """Look at another tensor or slice, or at the same one counted again."""
        if (name, shape, slices) != (self._name, self._shape, self._slices):
            self._name, self._shape, self._slices = name, shape, slices
            # What programs touch elsewhere says nothing about this place.
            self._show(())
        elif not recounted:
            return
        self._ask()
        self._redraw_step()

    def clear(self) -> None:
        """Show nothing."""
        self._name = ""
        self._programs = ()
        self._step = None
        self._footprints.drop(self)
        self._footprints.drop((self, "sharp"))
        self._waiting = False
        self._show(())
        self._canvas.show_step(None)

    def show_programs(self, programs: tuple[int, ...], *, preview: bool) -> None:
        """Highlight what programs touch, or nothing; a preview leaves the picture bright."""
        changed = programs != self._programs
        self._programs, self._preview = programs, preview
        if not changed:
            self._canvas.show_footprints(self.shapes, preview=preview)
            return
        self._ask()

    def show_step(self, elements: np.ndarray | None, *, stored: bool) -> None:
        """Show the elements of one step on top; None for no step, none of them for another's."""
        self._step = None if elements is None else (elements, stored)
        self._redraw_step()

    def sharpen(self, view: PlaneView) -> None:
        """Ask for the shape of what is visible, where the one of the whole plane is too coarse."""
        if not self._programs or not self._name or not self.shapes or self._waiting:
            return
        if self.shapes[0].placed.exact or not view.rows or not view.columns:
            return
        view = PlaneView(
            view.row, view.column, view.rows, view.columns, self._slices,
            FOOTPRINT_CELLS, FOOTPRINT_CELLS,
        )  # fmt: skip
        keys = [(self._name, program, view) for program in self._programs]
        self._footprints.want((self, "sharp"), keys, self._take_sharper)

    # ------------------------------------------------------------------------------ answers

    def _ask(self) -> None:
        self._footprints.drop((self, "sharp"))
        if not self._programs or not self._name:
            self._footprints.drop(self)
            self._waiting = False
            self._show(())
            return
        view = PlaneView(slices=self._slices, max_rows=FOOTPRINT_CELLS, max_columns=FOOTPRINT_CELLS)
        self._waiting = True
        self.counted.emit()
        keys = [(self._name, program, view) for program in self._programs]
        self._footprints.want(self, keys, self._take)

    def _take(self, replies: list[ProgramFootprint]) -> None:
        self._waiting = False
        self._replies = replies
        if not replies:
            self._show(())
            return
        shape = footprint_shape(replies, self._canvas.rows, self._canvas.columns, self._theme)
        self._show((shape,))
        self.counted.emit()
        if not self._preview:
            self._canvas.bring_into_view(shape.bounds)
        visible = self._canvas.visible()
        if not shape.placed.exact and QRectF(visible) != shape.placed.rect:
            self.sharpen(
                PlaneView(visible.top(), visible.left(), visible.height(), visible.width())
            )

    def _take_sharper(self, replies: list[ProgramFootprint]) -> None:
        if replies and self.shapes:
            sharper = footprint_shape(replies, self._canvas.rows, self._canvas.columns, self._theme)
            self._show((self.shapes[0], sharper))

    def _show(self, shapes: tuple[FootprintShape, ...]) -> None:
        if not shapes:
            self._replies = []
        self.shapes = shapes
        self._canvas.show_footprints(shapes, preview=self._preview)

    def _redraw(self) -> None:
        if self._replies:
            self._take(self._replies)
        self._redraw_step()

    def _redraw_step(self) -> None:
        if self._step is None or not self._name:
            self._canvas.show_step(None)
            return
        elements, stored = self._step
        shape = step_shape(
            elements, STORED if stored else LOADED, self._shape, self._slices, self._theme
        )
        self._canvas.show_step(shape)
        self._canvas.bring_into_view(shape.bounds)
