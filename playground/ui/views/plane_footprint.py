"""What programs touch, as shapes on a tile map: of whole programs, or of one of their steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from playground.model.plane import plane_shape
from playground.protocol.messages import PlaneView
from playground.ui.views.plane_colours import argb
from playground.ui.views.plane_place import Placed, placed, rectangles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.protocol.messages import ProgramFootprint
    from playground.ui.theme import Theme

LOADED, STORED = 1, 2
"""Bits of a footprint's cells, as in `protocol.ProgramFootprint`."""
STEP_CELLS = 1024
"""Cells in a row or column at most, in which the elements of a step are drawn."""


@dataclass(frozen=True, eq=False)
class FootprintShape:
    """What programs touch, as rectangles of elements; `image` where there are too many."""

    placed: Placed
    loads: tuple[QRectF, ...]
    stores: tuple[QRectF, ...]
    image: QImage | None
    load_count: int
    store_count: int

    @property
    def empty(self) -> bool:
        """Whether nothing of it is in the plane shown."""
        return not self.loads and not self.stores and self.image is None

    @property
    def bounds(self) -> QRectF:
        """The smallest rectangle around all of it; null when it touches nothing here."""
        bounds = QRectF()
        for rect in (*self.loads, *self.stores):
            bounds = bounds.united(rect)
        return bounds


def footprint_shape(
    replies: Sequence[ProgramFootprint], rows: int, columns: int, theme: Theme
) -> FootprintShape:
    """Return what programs touch, all in one view; at least one program."""
    first = replies[0]
    touched = first.touched
    for reply in replies[1:]:
        touched = touched | reply.touched
    place = placed(first.view, touched.shape, rows, columns)
    return _shape(
        touched, place, theme, sum(r.loads for r in replies), sum(r.stores for r in replies)
    )


def step_shape(
    elements: np.ndarray, bit: int, shape: tuple[int, ...], slices: tuple[int, ...], theme: Theme
) -> FootprintShape:
    """Return the elements of one step in a slice of a tensor.

    Parameters
    ----------
    elements
        Places in the tensor counted row by row, int64; those of other slices are left out.
    bit
        `LOADED` or `STORED`.
    """
    rows, columns = plane_shape(shape)
    first = 0
    for size, part in zip(shape[:-2], slices, strict=False):
        first = first * size + part
    inside = elements - first * rows * columns
    inside = inside[(inside >= 0) & (inside < rows * columns)]
    row, column = np.divmod(inside, columns)
    # Only the rectangle around them: a tile of a large tensor stays exact.
    top, bottom = int(row.min(initial=rows)), int(row.max(initial=-1)) + 1
    left, right = int(column.min(initial=columns)), int(column.max(initial=-1)) + 1
    if bottom <= top or right <= left:
        return FootprintShape(Placed(0, 0, rows, columns, 1, 1), (), (), None, 0, 0)
    view = PlaneView(top, left, bottom - top, right - left, (), STEP_CELLS, STEP_CELLS)
    down, across = -(-view.rows // STEP_CELLS), -(-view.columns // STEP_CELLS)
    touched = np.zeros((-(-view.rows // down), -(-view.columns // across)), np.uint8)
    touched[(row - top) // down, (column - left) // across] = bit
    count = len(inside)
    place = placed(view, touched.shape, rows, columns)
    return _shape(
        touched, place, theme, count if bit == LOADED else 0, count if bit == STORED else 0
    )


def _shape(
    touched: np.ndarray, place: Placed, theme: Theme, load_count: int, store_count: int
) -> FootprintShape:
    loads = rectangles((touched & LOADED) != 0, place)
    stores = rectangles((touched & STORED) != 0, place)
    if loads is not None and stores is not None:
        return FootprintShape(place, loads, stores, None, load_count, store_count)
    load, store = theme.color("plot_2"), theme.color("accent")
    table = np.array(
        [0, argb(load.red(), load.green(), load.blue()),
         argb(store.red(), store.green(), store.blue()),
         argb(store.red(), store.green(), store.blue())],
        np.uint32,
    )  # fmt: skip
    pixels = np.ascontiguousarray(table[touched & (LOADED | STORED)])
    height, width = pixels.shape
    image = QImage(
        pixels.tobytes(), width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied
    ).copy()
    return FootprintShape(place, (), (), image, load_count, store_count)
