"""Additions to counter cells: run by run where lanes lie side by side, else lane by lane.

Most blocks are made of runs: a row of a tile is one stretch of neighbouring cells. Runs of one
length whose starts are a multiple of it apart are counted in vectors with one element a run; all
cells get what their runs have at the end (`CellAdder.settle`), in one pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.triton_private import batched_values as algebra
from playground.engine.triton_private.batched_rows import Rows, lanes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.engine.counter_layout import StorageSlot
    from playground.engine.triton_private.interpreter_formats import Array
    from playground.model.access_site import AccessKind

LANES_AT_ONCE = 1 << 18
_SHORTEST_RUN = 4
_MOST_PHASES = 16


@dataclass(frozen=True)
class Tally:
    """Counts of some cells, and the highest and lowest program where those are wanted (int32).

    `last` holds programs plus one and `first` `PROGRAM_LIMIT` minus programs: both only grow.
    """

    counts: Array
    last: Array | None
    first: Array | None

    def add(self, cells: Array, active: Array | None, rows: Rows, times: int) -> None:
        """Count lanes.

        Parameters
        ----------
        cells
            int64, programs' rows first.
        active
            bool of that shape; None for all.
        times
            How many lanes each element stands for.
        """
        chosen = cells.reshape(-1) if active is None else cells[active]
        if not chosen.size:
            return
        _add_weights(self.counts, chosen, rows.weight, cells, active, times)
        if self.last is None or self.first is None:
            return
        # In order, so that of lanes that share a cell the last one holds the extreme.
        for vector, keys, value in (
            (self.last, rows.last, rows.last + 1),
            (self.first, -rows.first, PROGRAM_LIMIT - rows.first),
        ):
            extremes = value.astype(np.int32)
            if len(rows) == 1:
                vector[chosen] = np.maximum(vector[chosen], extremes[0])
                continue
            order = np.argsort(keys, kind="stable")
            turned, on = cells[order], None if active is None else active[order]
            lane_cells = turned.reshape(-1) if on is None else turned[on]
            found = _of_lanes(extremes[order], cells, on)
            vector[lane_cells] = np.maximum(vector[lane_cells], found)

    def of_slot(self, slot: StorageSlot, skipped: int, runs: int, length: int) -> Tally:
        """Return the same tally of a storage's cells as a matrix with a row for each run."""

        def cut(vector: Array | None) -> Any:
            if vector is None:
                return None
            start = slot.first + skipped
            return vector[start : start + runs * length].reshape(runs, length)

        return Tally(cut(self.counts), cut(self.last), cut(self.first))


@dataclass(frozen=True)
class _Runs:
    """Runs of one length in one storage, the first of them `skipped` cells behind its start."""

    slot: StorageSlot
    length: int
    skipped: int
    stores: bool


class CellAdder:
    """Adds accesses to vectors of counters; they are complete after `settle`.

    Parameters
    ----------
    vectors
        Those of a `CellCounter`: loads, stores, and for both the last and first program, or the
        first two of these only.
    """

    def __init__(self, vectors: Sequence[Array]) -> None:
        extremes = [*vectors[2:], *[None] * (6 - len(vectors))]
        self._loads = Tally(vectors[0], extremes[2], extremes[3])
        self._stores = Tally(vectors[1], extremes[0], extremes[1])
        self._runs: dict[_Runs, Tally] = {}

    def add(
        self, kind: AccessKind, slot: StorageSlot, element_size: int, cells: Array,
        active: Array | None, rows: Rows, times: int,
    ) -> None:  # fmt: skip
        """Count lanes by the first cell of each; what the rest of them is as in `Tally.add`."""
        for part in range(max(1, element_size // slot.unit)):
            touched = cells + part if part else cells
            for tally in self._of(kind):
                tally.add(touched, active, rows, times)

    def _of(self, kind: AccessKind) -> Iterator[Tally]:
        if kind != "store":
            yield self._loads
        if kind != "load":
            yield self._stores

    def add_rows(
        self, kind: AccessKind, slot: StorageSlot, element_size: int, rows: Rows,
        shape: tuple[int, ...],
    ) -> None:  # fmt: skip
        """Count blocks of `shape` that lie in one storage; the rows' terms are cells."""
        run = _run_along(rows, shape, max(1, element_size // slot.unit))
        if run is None:
            self._add_lanes(kind, slot, element_size, rows, shape)
            return
        for starts, cut in pieces(run.starts):
            if not self._add_runs(kind, slot, replace(run, starts=starts)):
                self._add_lanes(kind, slot, element_size, rows.chosen(cut), shape)

    def _add_lanes(
        self, kind: AccessKind, slot: StorageSlot, element_size: int, rows: Rows,
        shape: tuple[int, ...],
    ) -> None:  # fmt: skip
        for piece, _ in pieces(rows):
            cells, active, times = lanes(piece, shape)
            self.add(kind, slot, element_size, cells, active, piece, times)

    def _add_runs(self, kind: AccessKind, slot: StorageSlot, run: _Run) -> bool:
        """Count runs; return False where they lie too irregularly for it."""
        starts, active, times = lanes(run.starts, run.shape)
        offsets = starts - slot.first
        phases = np.unique(offsets % run.length if active is None else offsets[active] % run.length)
        if len(phases) > _MOST_PHASES:
            return False
        for phase in phases.tolist():
            on = active
            if len(phases) > 1:
                here = offsets % run.length == phase
                on = here if active is None else here & active
            numbers = (offsets - phase) // run.length
            for stores in (False, True):
                if (stores and kind == "load") or (not stores and kind == "store"):
                    continue
                tally = self._tally(_Runs(slot, run.length, phase, stores))
                tally.add(numbers, on, run.starts, times)
        return True

    def _tally(self, runs: _Runs) -> Tally:
        if runs not in self._runs:
            count = max(1, (runs.slot.cells - runs.skipped) // runs.length)
            base = self._stores if runs.stores else self._loads
            vectors = [np.zeros(count, dtype=np.int32) for _ in range(3)]
            alone = base.last is None
            self._runs[runs] = Tally(
                vectors[0], None if alone else vectors[1], None if alone else vectors[2]
            )
        return self._runs[runs]

    def settle(self) -> None:
        """Give every cell what its runs have."""
        for runs, tally in self._runs.items():
            base = self._stores if runs.stores else self._loads
            count = (runs.slot.cells - runs.skipped) // runs.length
            fine = base.of_slot(runs.slot, runs.skipped, count, runs.length)
            used = np.flatnonzero(tally.counts)
            if not used.size:
                continue
            touched = slice(int(used[0]), int(used[-1]) + 1)
            fine.counts[touched] += tally.counts[touched, None]
            for own, all_of in ((tally.last, fine.last), (tally.first, fine.first)):
                if own is not None and all_of is not None:
                    view = all_of[touched]
                    np.maximum(view, own[touched, None], out=view)
        self._runs = {}


@dataclass(frozen=True)
class _Run:
    """Blocks as runs of one length: `starts` are rows of their first cells, over `shape`."""

    starts: Rows
    shape: tuple[int, ...]
    length: int


def _run_along(rows: Rows, shape: tuple[int, ...], parts: int) -> _Run | None:
    """Return rows as runs along one axis of the block; None where none has neighbouring cells.

    `parts` is how many cells an element takes.
    """
    for axis in range(len(shape), 0, -1):
        if shape[axis - 1] * parts < _SHORTEST_RUN:
            continue
        along = [term for term in rows.terms if term.shape[axis] > 1]
        masks = [part for part in rows.mask if part.shape[axis] > 1]
        if len(along) != 1 or any(one.size != one.shape[axis] for one in (*along, *masks)):
            continue
        numbers = along[0].reshape(-1)
        if not (np.diff(numbers) == parts).all():
            continue
        low, high = 0, len(numbers)
        if masks:
            on = np.flatnonzero(algebra.dense(tuple(masks)).reshape(-1))
            if not on.size or on[-1] - on[0] + 1 != on.size:
                continue
            low, high = int(on[0]), int(on[-1]) + 1
        if (high - low) * parts < _SHORTEST_RUN:
            continue
        others = tuple(term for term in rows.terms if term is not along[0])
        first = np.full((1,) * along[0].ndim, numbers[low])
        terms = algebra.added(others, (first,)) if others else (first,)
        kept = tuple(part for part in rows.mask if part.shape[axis] == 1)
        flat = (*shape[: axis - 1], 1, *shape[axis:])
        return _Run(replace(rows, terms=terms, mask=kept), flat, (high - low) * parts)
    return None


def pieces(rows: Rows) -> Iterator[tuple[Rows, slice]]:
    """Yield the rows in pieces that are not too large to be looked at lane by lane."""
    sizes = algebra.shape_of((*rows.terms, *rows.mask))[1:]
    step = max(1, LANES_AT_ONCE // max(1, math.prod(sizes)))
    for start in range(0, len(rows), step):
        cut = slice(start, start + step)
        yield rows.chosen(cut), cut


def _of_lanes(values: Array, cells: Array, active: Array | None) -> Array:
    """Return each row's value for all of its lanes, those that are active."""
    spread = np.broadcast_to(values.reshape(-1, *(1,) * (cells.ndim - 1)), cells.shape)
    return spread.reshape(-1) if active is None else spread[active]


def _add_weights(
    counts: Array, chosen: Array, weights: Array, cells: Array, active: Array | None, times: int
) -> None:
    """Add to `counts`, at the cells `chosen` of all, the weights of their rows."""
    low = int(chosen.min())
    span = int(chosen.max()) - low + 1
    one = int(weights[0])
    alike = bool((weights == one).all())
    each: Any = one * times if alike else _of_lanes(weights, cells, active) * times
    if span > 4 * chosen.size:
        np.add.at(counts, chosen, np.int32(each) if alike else each.astype(np.int32))
        return
    if alike:
        found = np.bincount(chosen - low, minlength=span)
        found *= each
    else:
        found = np.bincount(chosen - low, weights=each, minlength=span)
    view = counts[low : low + span]
    np.add(view, found, out=view, casting="unsafe")
