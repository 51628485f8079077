"""A schedule as a picture: which program runs in which lane of which multiprocessor at a pixel.

Every pixel looks its program up, so that the time to draw grows with the picture and hardly with
the number of programs.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from playground.protocol.messages import Scheduled


@dataclass(frozen=True, eq=False)
class Lanes:
    """Programs in lanes without overlap; every multiprocessor has as many lanes as it needs.

    `lane` is by program; `first` is the first lane of each multiprocessor, with the number of all
    lanes at the end. `order` are the programs by lane and start.
    """

    multiprocessor: np.ndarray
    start_ns: np.ndarray
    end_ns: np.ndarray
    lane: np.ndarray
    first: np.ndarray
    order: np.ndarray

    @property
    def count(self) -> int:
        """How many lanes there are."""
        return int(self.first[-1])

    def multiprocessor_of(self, lane: int) -> int:
        """Return the multiprocessor that a lane belongs to."""
        return int(np.searchsorted(self.first, lane, side="right")) - 1


def lanes_of(reply: Scheduled) -> Lanes:
    """Put every program into the first lane of its multiprocessor that is free at its start."""
    owner = np.asarray(reply.multiprocessor, np.int64)
    start = np.asarray(reply.start_ns, np.int64)
    end = np.maximum(np.asarray(reply.end_ns, np.int64), start + 1)
    count = max(reply.figures.multiprocessors, int(owner.max(initial=-1)) + 1)
    lane = np.zeros(len(owner), np.int64)
    used = np.ones(count, np.int64)
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    before = -1
    for program in np.lexsort((start, owner)).tolist():
        here, begins = int(owner[program]), int(start[program])
        if here != before:
            busy, free, before = [], [], here
        while busy and busy[0][0] <= begins:
            heapq.heappush(free, heapq.heappop(busy)[1])
        chosen = heapq.heappop(free) if free else len(busy)
        heapq.heappush(busy, (int(end[program]), chosen))
        lane[program] = chosen
        used[here] = max(used[here], chosen + 1)
    first = np.concatenate([[0], np.cumsum(used)])
    lane += first[owner]
    return Lanes(owner, start, end, lane, first, np.lexsort((start, lane)))


def programs_at(lanes: Lanes, rows: np.ndarray, edges_ns: np.ndarray) -> np.ndarray:
    """Return the program of each pixel, -1 where none runs.

    Parameters
    ----------
    rows
        The lane of each row of pixels, -1 for a row between lanes.
    edges_ns
        Where each column of pixels begins and ends, one more than columns. A program shorter than
        a pixel is still found.

    Returns
    -------
    numpy.ndarray
        int64 (rows, columns).
    """
    columns = len(edges_ns) - 1
    shown = np.unique(rows[rows >= 0])
    picture = np.full((len(rows), columns), -1, np.int64)
    if not len(shown) or not len(lanes.order):
        return picture
    inside = rows >= 0
    by_lane = _filled(lanes, shown, float(edges_ns[0]), float(edges_ns[-1]), columns)
    picture[inside] = by_lane[np.searchsorted(shown, rows[inside])]
    return picture


def _filled(
    lanes: Lanes, shown: np.ndarray, low_ns: float, high_ns: float, columns: int
) -> np.ndarray:
    """Return the programs of these lanes by pixel: starts and ends marked, then filled up."""
    place = np.full(lanes.count, -1, np.int64)
    place[shown] = np.arange(len(shown))
    each = max(high_ns - low_ns, 1e-9) / columns
    order = lanes.order
    row = place[lanes.lane[order]]
    start, end = lanes.start_ns[order], lanes.end_ns[order]
    seen = (row >= 0) & (end > low_ns) & (start < high_ns)
    order, row = order[seen], row[seen]
    # From the pixel in which it starts to the one in which it ends: never less than one.
    first = np.clip(np.floor((start[seen] - low_ns) / each), 0, columns - 1).astype(np.int64)
    past = np.clip(np.ceil((end[seen] - low_ns) / each), first + 1, columns).astype(np.int64)
    begins, ends = row * columns + first, row * columns + past
    # One that ends in a pixel in which its successor has started already has no end of its own.
    free = np.append(ends[:-1] <= begins[1:], True) & (past < columns)
    # Index of the mark that holds at a pixel, plus one; 0 is nobody. Every row begins with nobody.
    marks = np.zeros(len(shown) * columns, np.int64)
    held = np.zeros(len(shown) * columns, np.int64)
    at = np.arange(len(marks))
    marks[::columns] = at[::columns]
    marks[ends[free]] = ends[free]
    marks[begins] = begins
    held[begins] = order + 1
    np.maximum.accumulate(marks, out=marks)
    found: np.ndarray = held[marks].reshape(len(shown), columns) - 1
    return found


def rows_of(
    lanes: Lanes, first_lane: float, last_lane: float, height: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lane of each row of pixels, and which rows separate multiprocessors.

    Rows between lanes are left out (-1) where each lane has a few pixels.
    """
    each = (last_lane - first_lane) / max(height, 1)
    at = first_lane + (np.arange(height) + 0.5) * each
    lane = np.clip(np.floor(at).astype(np.int64), 0, max(lanes.count - 1, 0))
    outside = (at < 0) | (at >= lanes.count)
    owner = np.searchsorted(lanes.first, lane, side="right")
    last_of_owner = np.append(owner[1:] != owner[:-1], False)
    last_of_lane = np.append(lane[1:] != lane[:-1], False)
    pixels = 1 / each if each else 1.0
    per_owner = pixels * lanes.count / max(len(lanes.first) - 1, 1)
    separator = last_of_owner if per_owner >= 4 else np.zeros(height, bool)
    gap = separator | (last_of_lane if pixels >= 5 else separator)
    return np.where(outside | gap, -1, lane), separator
