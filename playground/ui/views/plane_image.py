"""From the engine's counters to pictures: colours, tile borders, labels and footprints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from playground.protocol.messages import Plane, PlaneView, ProgramFootprint
    from playground.ui.theme import Theme

MAX_LINES = 6000
MAX_LABELS = 600
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


@dataclass(frozen=True, eq=False)
class PlaneImage:
    """A coloured picture of a rectangle of the plane, and what is drawn over it.

    Lines and label boxes are in elements: x is the column, y the row.
    """

    placed: Placed
    image: QImage
    values: np.ndarray
    flags: np.ndarray
    unwritten: bool
    lines: tuple[QLineF, ...]
    labels: tuple[tuple[QRectF, int], ...]


@dataclass(frozen=True, eq=False)
class FootprintShape:
    """What a program touches, as rectangles of elements; `image` where there are too many."""

    placed: Placed
    loads: tuple[QRectF, ...]
    stores: tuple[QRectF, ...]
    image: QImage | None
    load_count: int
    store_count: int

    @property
    def bounds(self) -> QRectF:
        """The smallest rectangle around all of it; null when it touches nothing here."""
        bounds = QRectF()
        for rect in (*self.loads, *self.stores):
            bounds = bounds.united(rect)
        return bounds


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


def owner_slot(program: np.ndarray, entries: int) -> np.ndarray:
    """Return the colour of each program: neighbours differ, also one row of tiles further.

    Half a turn more in every round keeps tiles above one another apart for rows of a power of two
    of tiles, and light and dark still alternate. (Other counts can meet: borders are drawn, too.)
    """
    slot: np.ndarray = (program + entries // 2 * (program // entries)) % entries
    return slot


def _argb(red: int, green: int, blue: int, alpha: int = 255) -> int:
    return alpha << 24 | red << 16 | green << 8 | blue


def colour(plane: Plane, theme: Theme, fold_elements: int | None = None) -> PlaneImage:
    """Return `plane` as a picture.

    Elements that nobody wrote are left transparent, for the ground's hatching to show through.
    `fold_elements` is the length of a 1D tensor: cells behind its end are transparent as well.
    """
    values, flags = plane.values, plane.flags
    place = placed(plane.view, values.shape, plane.plane_rows, plane.plane_columns)
    if plane.paint == "owner":
        entries = theme.owner_colormap()
        table = np.array([_argb(*rgb) for rgb in entries], np.uint32)
        pixels = table[owner_slot(np.maximum(values, 0), len(entries))]
    else:
        scale = np.array([_argb(*rgb) for rgb in theme.sequential_colormap(256)], np.uint32)
        top = max(int(plane.maximum), 1)
        level = np.clip(values.astype(np.int64) * 255 // top, 0, 255)
        none = theme.color("border")
        pixels = np.where(
            values <= 0, np.uint32(_argb(none.red(), none.green(), none.blue())), scale[level]
        )
    missing = (flags & 1).astype(bool)
    if plane.paint == "owner":
        missing |= values < 0
    if plane.paint == "loads":
        missing = np.zeros_like(missing)
    behind = np.zeros_like(missing)
    if fold_elements is not None:
        first = (
            (place.row + np.arange(values.shape[0]) * place.down)[:, None] * plane.plane_columns
            + (place.column + np.arange(values.shape[1]) * place.across)[None, :]
        )  # fmt: skip
        behind = first >= fold_elements
        missing &= ~behind
    ground = theme.color("plot_background")
    pixels = np.where(missing, np.uint32(0), pixels)
    pixels = np.where(behind, np.uint32(_argb(ground.red(), ground.green(), ground.blue())), pixels)
    pixels = np.ascontiguousarray(pixels.astype(np.uint32))
    height, width = pixels.shape
    image = QImage(
        pixels.tobytes(), width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied
    ).copy()
    shown = np.where(behind, -2, values)
    lines = _borders(shown, place) if plane.paint == "owner" else ()
    labels = _labels(shown, place) if plane.paint == "owner" else ()
    return PlaneImage(place, image, values, flags, bool(missing.any()), lines, labels)


def _borders(values: np.ndarray, place: Placed) -> tuple[QLineF, ...]:
    lines: list[QLineF] = []
    upright = values[:, 1:] != values[:, :-1]
    level = values[1:, :] != values[:-1, :]
    # A tensor whose owners change at every other cell has no tiles worth outlining.
    if upright.mean() + level.mean() > 0.35 if upright.size and level.size else False:
        return ()
    for number, start, end in _runs(upright.T):
        x = place.column + (number + 1) * place.across
        lines.append(QLineF(x, place.row + start * place.down, x, place.row + end * place.down))
        if len(lines) > MAX_LINES:
            return ()
    for number, start, end in _runs(level):
        y = place.row + (number + 1) * place.down
        lines.append(
            QLineF(place.column + start * place.across, y, place.column + end * place.across, y)
        )
        if len(lines) > MAX_LINES:
            return ()
    return tuple(lines)


def _runs(mask: np.ndarray) -> list[tuple[int, int, int]]:
    """Return the runs of True in each line as (line, first, past the last)."""
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), np.int8)
    padded[:, 1:-1] = mask
    change = np.diff(padded, axis=1)
    line, start = np.nonzero(change == 1)
    _, end = np.nonzero(change == -1)
    return list(zip(line.tolist(), start.tolist(), end.tolist(), strict=True))


def _labels(values: np.ndarray, place: Placed) -> tuple[tuple[QRectF, int], ...]:
    programs, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(programs) > MAX_LABELS:
        return ()
    inverse = inverse.reshape(values.shape)
    rows, columns = np.indices(values.shape)
    extremes = []
    for index, start in ((rows, values.shape[0]), (columns, values.shape[1])):
        low = np.full(len(programs), start)
        high = np.full(len(programs), -1)
        np.minimum.at(low, inverse, index)
        np.maximum.at(high, inverse, index)
        extremes.append((low, high))
    labels = []
    for slot, program in enumerate(programs.tolist()):
        if program < 0:
            continue
        top, bottom = int(extremes[0][0][slot]), int(extremes[0][1][slot]) + 1
        left, right = int(extremes[1][0][slot]), int(extremes[1][1][slot]) + 1
        if counts[slot] != (bottom - top) * (right - left):
            # A folded tensor's programs wrap around: the label goes on the longest full stretch.
            middle = (top + bottom) // 2
            stretch = np.nonzero(values[middle] == program)[0]
            if not len(stretch):
                continue
            top, bottom = middle, middle + 1
            left, right = int(stretch[0]), int(stretch[-1]) + 1
            if right - left != len(stretch):
                continue
        labels.append(
            (
                QRectF(
                    place.column + left * place.across, place.row + top * place.down,
                    (right - left) * place.across, (bottom - top) * place.down,
                ),
                program,
            )
        )  # fmt: skip
    return tuple(labels)


def footprint_shape(
    reply: ProgramFootprint, rows: int, columns: int, theme: Theme
) -> FootprintShape:
    """Return what a program touches as rectangles, or as a picture where it is too scattered."""
    touched = reply.touched
    place = placed(reply.view, touched.shape, rows, columns)
    loads = _rectangles((touched & 1) != 0, place)
    stores = _rectangles((touched & 2) != 0, place)
    if loads is not None and stores is not None:
        return FootprintShape(place, loads, stores, None, reply.loads, reply.stores)
    load, store = theme.color("plot_2"), theme.color("accent")
    table = np.array(
        [0, _argb(load.red(), load.green(), load.blue()),
         _argb(store.red(), store.green(), store.blue()),
         _argb(store.red(), store.green(), store.blue())],
        np.uint32,
    )  # fmt: skip
    pixels = np.ascontiguousarray(table[touched & 3])
    height, width = pixels.shape
    image = QImage(
        pixels.tobytes(), width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied
    ).copy()
    return FootprintShape(place, (), (), image, reply.loads, reply.stores)


def _rectangles(mask: np.ndarray, place: Placed) -> tuple[QRectF, ...] | None:
    """Return the True cells as rectangles of elements, None where there are too many."""
    if not mask.any():
        return ()
    changed = np.flatnonzero((mask[1:] != mask[:-1]).any(axis=1)) + 1
    tops = [0, *changed.tolist()]
    bottoms = [*changed.tolist(), mask.shape[0]]
    rectangles: list[QRectF] = []
    for top, bottom in zip(tops, bottoms, strict=True):
        for _, start, end in _runs(mask[top : top + 1]):
            rectangles.append(
                QRectF(
                    place.column + start * place.across, place.row + top * place.down,
                    (end - start) * place.across, (bottom - top) * place.down,
                )
            )  # fmt: skip
            if len(rectangles) > MAX_RECTS:
                return None
    return tuple(rectangles)
