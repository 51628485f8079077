"""Where a reduced picture lies in a plane of elements, and its cells as runs and rectangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF

if TYPE_CHECKING:
    from playground.protocol.messages import PlaneView

MAX_RECTS = 4000


@dataclass(frozen=True, eq=False)
class Placed:
    """Where a reduced array lies in the plane: one cell covers `down` by `across` elements."""

    row: int
    column: int
    rows: int
    columns: int
    down: float
    across: float

    @property
    def exact(self) -> bool:
        """Whether every cell is one element."""
        return self.down == 1 and self.across == 1

    @property
    def rect(self) -> QRectF:
        """The elements covered, as x (column), y (row), width, height."""
        return QRectF(self.column, self.row, self.columns, self.rows)


def placed(view: PlaneView, shape: tuple[int, ...], rows: int, columns: int) -> Placed:
    """Return where an array of `shape` that answers `view` lies in a plane of rows by columns."""
    height = view.rows or rows - view.row
    width = view.columns or columns - view.column
    return Placed(
        view.row, view.column, height, width,
        _step(height, shape[0], view.max_rows), _step(width, shape[1], view.max_columns),
    )  # fmt: skip


def _step(elements: int, cells: int, limit: int) -> float:
    # The engine reduces by whole blocks, the last one of which may be cut short.
    step = max(1, -(-elements // max(limit, 1)))
    return step if -(-elements // step) == cells else elements / max(cells, 1)


def runs(mask: np.ndarray) -> list[tuple[int, int, int]]:
    """Return the runs of True in each line as (line, first, past the last)."""
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), np.int8)
    padded[:, 1:-1] = mask
    change = np.diff(padded, axis=1)
    line, start = np.nonzero(change == 1)
    _, end = np.nonzero(change == -1)
    return list(zip(line.tolist(), start.tolist(), end.tolist(), strict=True))


def rectangles(mask: np.ndarray, place: Placed) -> tuple[QRectF, ...] | None:
    """Return the True cells as rectangles of elements, None where there are too many."""
    if not mask.any():
        return ()
    changed = np.flatnonzero((mask[1:] != mask[:-1]).any(axis=1)) + 1
    tops = [0, *changed.tolist()]
    bottoms = [*changed.tolist(), mask.shape[0]]
    found: list[QRectF] = []
    for top, bottom in zip(tops, bottoms, strict=True):
        for _, start, end in runs(mask[top : top + 1]):
            found.append(
                QRectF(
                    place.column + start * place.across, place.row + top * place.down,
                    (end - start) * place.across, (bottom - top) * place.down,
                )
            )  # fmt: skip
            if len(found) > MAX_RECTS:
                return None
    return tuple(found)
