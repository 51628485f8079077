"""A tensor as a plane of rows by columns: the geometry that the picture and its hover text share.

A 1D tensor is folded into rows, a 2D tensor is taken as it is, and one of more dimensions is cut by
`slices` (one index for every dimension before the last two).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLD_MINIMUM = 64
"""A 1D tensor of at most this many elements stays one row."""


def fold(elements: int) -> int:
    """Return the columns a 1D tensor of `elements` is folded into: a power of two, about 2:1.

    The plane is between once and four times as wide as high, and blocks of a power of two start
    at the same columns in every row.
    """
    if elements <= FOLD_MINIMUM:
        return max(elements, 1)
    # The largest power of two whose square stays under 4 * elements.
    return 1 << (((4 * elements - 1).bit_length() - 1) // 2)


def plane_shape(shape: Sequence[int]) -> tuple[int, int]:
    """Return the (rows, columns) of the plane of a tensor of this shape."""
    if len(shape) == 0:
        return 1, 1
    if len(shape) == 1:
        columns = fold(shape[0])
        return max(1, -(-shape[0] // columns)), columns
    return shape[-2], shape[-1]


def default_slices(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the slices of the first plane: one 0 for every dimension before the last two."""
    return (0,) * max(0, len(shape) - 2)


def clamp_slices(shape: Sequence[int], slices: Sequence[int]) -> tuple[int, ...]:
    """Return `slices` cut or filled with 0 to the number needed, each within its dimension."""
    needed = max(0, len(shape) - 2)
    given = (*slices[:needed], *(0,) * (needed - len(slices)))
    return tuple(min(max(index, 0), max(shape[axis] - 1, 0)) for axis, index in enumerate(given))


def index_at(
    shape: Sequence[int], row: int, column: int, slices: Sequence[int] = ()
) -> tuple[int, ...] | None:
    """Return the element's index at a plane position, or None where the plane has no element.

    The last row of a folded 1D tensor may be shorter than the plane is wide.
    """
    rows, columns = plane_shape(shape)
    if not (0 <= row < rows and 0 <= column < columns):
        return None
    if len(shape) == 0:
        return ()
    if len(shape) == 1:
        index = row * columns + column
        return (index,) if index < shape[0] else None
    return (*clamp_slices(shape, slices), row, column)


def position_of(shape: Sequence[int], index: Sequence[int]) -> tuple[int, int, tuple[int, ...]]:
    """Return the (row, column, slices) at which the element with this index is drawn."""
    if len(shape) == 0:
        return 0, 0, ()
    if len(shape) == 1:
        row, column = divmod(index[0], fold(shape[0]))
        return row, column, ()
    return index[-2], index[-1], tuple(index[:-2])


def index_text(index: Sequence[int]) -> str:
    """Return an element's index as people write it: `[3, 5]`."""
    return f"[{', '.join(str(part) for part in index)}]"
