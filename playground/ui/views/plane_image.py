"""From the engine's counters to pictures: colours, tile borders, labels and footprints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QImage

from playground.ui.views.plane_marks import DISPUTED, SHARED, mark_image

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from playground.protocol.messages import Plane, PlaneView, ProgramFootprint
    from playground.ui.theme import Theme

MAX_LINES = 6000
MAX_LABELS = 600
MAX_RECTS = 4000
LABEL_CELLS = 320


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

    Lines, label boxes and `unwritten` (the rectangle around all transparent cells) are in
    elements: x is the column, y the row. `marks` are pictures of the same cells, by the flag's bit:
    opaque where elements are hatched because several programs wrote them.
    """

    placed: Placed
    image: QImage
    values: np.ndarray
    flags: np.ndarray
    unwritten: QRectF | None
    lines: tuple[QLineF, ...]
    labels: tuple[tuple[QRectF, int], ...]
    marks: tuple[tuple[int, QImage], ...] = ()


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
    `fold_elements` is the length of a 1D tensor: cells behind its end get the ground's colour.
    """
    values, flags = plane.values, plane.flags
    place = placed(plane.view, values.shape, plane.plane_rows, plane.plane_columns)
    table = _table(plane, theme)
    # One look-up a pixel: -1 (nobody) is entry 0. Whole-array steps beyond it only where needed.
    pixels = table[np.minimum(values, len(table) - 2) + 1]
    behind = _behind(plane, place, fold_elements)
    missing: np.ndarray | None = None
    if plane.paint != "loads":
        missing = (flags & 1).astype(bool)
        if behind is not None:
            missing &= ~behind
        pixels[missing] = 0
    if behind is not None:
        pixels[behind] = _of(theme.color("plot_background"))
    hole = _bounds(missing, place) if missing is not None else None
    height, width = pixels.shape
    shape = (
        QImage.Format.Format_RGB32 if hole is None else QImage.Format.Format_ARGB32_Premultiplied
    )
    image = QImage(pixels.tobytes(), width, height, width * 4, shape).copy()
    lines: tuple[QLineF, ...] = ()
    labels: tuple[tuple[QRectF, int], ...] = ()
    marks: tuple[tuple[int, QImage], ...] = ()
    if plane.paint == "owner":
        shown = values if behind is None else np.where(behind, -2, values)
        lines, labels = _borders(shown, place), _labels(shown, place)
        found = ((bit, mark_image(flags, bit)) for bit in (SHARED, DISPUTED))
        marks = tuple((bit, mark) for bit, mark in found if mark is not None)
    return PlaneImage(place, image, values, flags, hole, lines, labels, marks)


def _of(color: QColor) -> np.uint32:
    return np.uint32(_argb(color.red(), color.green(), color.blue()))


def _table(plane: Plane, theme: Theme) -> np.ndarray:
    """Return the colour of every value from -1 on."""
    if plane.paint == "owner":
        entries = theme.owner_colormap()
        colours = np.array([_argb(*rgb) for rgb in entries], np.uint32)
        count = max(plane.programs, int(plane.values.max(initial=0)) + 1)
        slots = owner_slot(np.arange(count), len(entries))
        return np.concatenate([[_of(theme.color("plot_background"))], colours[slots]])
    scale = np.array([_argb(*rgb) for rgb in theme.sequential_colormap(256)], np.uint32)
    # Counts beyond what eyes tell apart share the top colour; hover gives the exact number.
    top = min(max(int(plane.maximum), 1), 1 << 16)
    none = _of(theme.color("border"))
    return np.concatenate([[none, none], scale[np.arange(1, top + 1) * 255 // top]])


def _behind(plane: Plane, place: Placed, fold_elements: int | None) -> np.ndarray | None:
    """Return the cells behind the end of a folded tensor, None where there are none in view."""
    if fold_elements is None:
        return None
    last = (place.row + place.rows - 1) * plane.plane_columns + place.column + place.columns - 1
    if last < fold_elements:
        return None
    rows = place.row + np.arange(plane.values.shape[0]) * place.down
    columns = place.column + np.arange(plane.values.shape[1]) * place.across
    behind: np.ndarray = rows[:, None] * plane.plane_columns + columns[None, :] >= fold_elements
    return behind


def _bounds(mask: np.ndarray, place: Placed) -> QRectF | None:
    """Return the rectangle of elements around the True cells, None where there are none."""
    rows = np.flatnonzero(mask.any(axis=1))
    if not len(rows):
        return None
    columns = np.flatnonzero(mask.any(axis=0))
    return QRectF(
        place.column + columns[0] * place.across, place.row + rows[0] * place.down,
        (columns[-1] - columns[0] + 1) * place.across, (rows[-1] - rows[0] + 1) * place.down,
    )  # fmt: skip


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
    # Tiles with room for a label are many cells wide: every n-th cell is enough to find them.
    thin = max(1, max(values.shape) // LABEL_CELLS)
    values = values[::thin, ::thin]
    down, across = place.down * thin, place.across * thin
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
                    place.column + left * across, place.row + top * down,
                    (right - left) * across, (bottom - top) * down,
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
