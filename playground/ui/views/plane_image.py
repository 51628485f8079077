"""From the engine's counters to pictures: colours, tile borders and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QImage

from playground.ui.views.plane_colours import SCHEDULED, Colouring, argb_of, colour_table
from playground.ui.views.plane_marks import DISPUTED, SHARED, mark_image
from playground.ui.views.plane_place import Placed, placed, runs

if TYPE_CHECKING:
    from playground.protocol.messages import Plane
    from playground.ui.theme import Theme

MAX_LINES = 6000
MAX_LABELS = 600
LABEL_CELLS = 200


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


def colour(
    plane: Plane,
    theme: Theme,
    fold_elements: int | None = None,
    colouring: Colouring | None = None,
) -> PlaneImage:
    """Return `plane` as a picture, by default coloured by what it holds.

    Elements that nobody wrote are left transparent, for the ground's hatching to show through.
    `fold_elements` is the length of a 1D tensor: cells behind its end get the ground's colour.
    """
    values, flags = plane.values, plane.flags
    place = placed(plane.view, values.shape, plane.plane_rows, plane.plane_columns)
    colouring = colouring or Colouring(plane.paint)
    table = colour_table(plane, theme, colouring)
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
        pixels[behind] = argb_of(theme.color("plot_background"))
    hole = _bounds(missing, place) if missing is not None else None
    height, width = pixels.shape
    shape = (
        QImage.Format.Format_RGB32 if hole is None else QImage.Format.Format_ARGB32_Premultiplied
    )
    image = QImage(pixels.tobytes(), width, height, width * 4, shape).copy()
    lines: tuple[QLineF, ...] = ()
    labels: tuple[tuple[QRectF, int], ...] = ()
    marks: tuple[tuple[int, QImage], ...] = ()
    if not colouring.counts:
        shown = values if behind is None else np.where(behind, -2, values)
        lines, labels = _borders(shown, place), _labels(shown, place)
        if colouring.by in SCHEDULED:
            # The number that gives the colour says more here than whose it is.
            numbers = colouring.numbers(plane.programs)
            labels = tuple((rect, int(numbers[program])) for rect, program in labels)
    if plane.paint == "owner":
        found = ((bit, mark_image(flags, bit)) for bit in (SHARED, DISPUTED))
        marks = tuple((bit, mark) for bit, mark in found if mark is not None)
    return PlaneImage(place, image, values, flags, hole, lines, labels, marks)


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
    for number, start, end in runs(upright.T):
        x = place.column + (number + 1) * place.across
        lines.append(QLineF(x, place.row + start * place.down, x, place.row + end * place.down))
        if len(lines) > MAX_LINES:
            return ()
    for number, start, end in runs(level):
        y = place.row + (number + 1) * place.down
        lines.append(
            QLineF(place.column + start * place.across, y, place.column + end * place.across, y)
        )
        if len(lines) > MAX_LINES:
            return ()
    return tuple(lines)


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
