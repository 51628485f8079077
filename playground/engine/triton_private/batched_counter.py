"""Counter cells filled from whole batches of programs, exactly as program after program would."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from playground.engine.triton_private import batched_values as algebra
from playground.engine.triton_private.batched_cells import CellAdder, pieces
from playground.engine.triton_private.batched_nodes import NeedsExactError
from playground.engine.triton_private.batched_rows import Rows, lanes, merged, rows_of
from playground.model.coverage import OutOfBounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.counter_layout import Layout, StorageSlot
    from playground.engine.triton_private.batched_memory import BatchAccess
    from playground.engine.triton_private.interpreter_cells import CellCounter
    from playground.engine.triton_private.interpreter_formats import Array
    from playground.engine.triton_private.interpreter_storages import Ranges

_CHECK_EVERY_S = 0.1
_FAR = 1 << 61
"""Sums of addresses below it do not wrap around."""


@dataclass
class _Outside:
    """Lanes outside of every storage, of one tensor and place in the source."""

    program: int
    number: int
    distance: int
    lanes: int


class BatchTold(Protocol):
    """Is told of each access of a batch once it was looked at."""

    def note(self, access: BatchAccess, outside: int) -> None:
        """Take one access, of which so many lanes fall outside of every storage."""

    def note_operations(self, name: str, count: int) -> None:
        """Take the element operations of a reduction or scan of all programs."""


class BatchCounter:
    """Adds the accesses of batches to the vectors of a `CellCounter`; a `BatchObserver`.

    Parameters
    ----------
    cells
        Where to count; None for nowhere.
    survey
        Is told of each access as well.
    ranges
        What the launch may touch.
    nearest
        Returns the tensor and the distance in elements of an address outside, given the type of
        its pointer, the address and the size of an element.
    check
        Raises what ends the count early.
    """

    def __init__(
        self, layout: Layout, cells: CellCounter | None, survey: BatchTold, ranges: Ranges,
        nearest: Callable[[Any, int, int], Any], check: Callable[[], None],
    ) -> None:  # fmt: skip
        self._layout = layout
        self._cells = cells
        self._survey = survey
        self._ranges = ranges
        self._nearest = nearest
        self._check = check
        self._next_check_s = 0.0
        self._lost = 0
        self.stopped_by: Exception | None = None
        self._adder = None if cells is None else CellAdder(cells.vectors)
        self._slots = sorted(layout.storages, key=lambda slot: slot.start)
        self._starts = np.array([slot.start for slot in self._slots], dtype=np.int64)
        self._ends = np.array([slot.end for slot in self._slots], dtype=np.int64)
        self._kinds: dict[int, set[str]] = {}
        self._read: Array | None = None
        self.outside: dict[Any, _Outside] = {}
        self.notes: tuple[str, ...] = ()

    # Told by the batches ----------------------------------------------------------------------

    def on_dot(self, m: int, n: int, k: int, kind: str, programs: int) -> None:
        """Count 2·m·n·k operations of each program."""
        if self._cells is not None:
            self._cells.flops[kind] = self._cells.flops.get(kind, 0) + 2 * m * n * k * programs

    def on_operations(self, name: str, count: int) -> None:
        """Count element operations of a reduction or scan of all programs."""
        self._survey.note_operations(name, count)

    def on_unseen(self, note: str) -> None:
        """Keep what to say of something that no counter sees."""
        if note not in self.notes:
            self.notes += (note,)

    def on_work(self) -> None:
        """Ask now and then whether to go on."""
        now = time.monotonic()
        if now > self._next_check_s:
            try:
                self._check()
            except Exception as error:
                self.stopped_by = error
                raise
            self._next_check_s = now + _CHECK_EVERY_S

    def on_access(self, access: BatchAccess) -> None:
        """Count one access of all programs of a batch."""
        self.on_work()
        if self._cells is not None:
            self._cells.atomics |= access.kind == "atomic"
        self._lost = 0
        mask = tuple(part for part in access.mask if not part.all())
        terms = tuple(term.view(np.int64) for term in access.addresses)
        rows = rows_of(terms, mask, access.programs)
        low, high = algebra.bounds(terms)
        if low > -_FAR and high < _FAR:
            slots = self._slots_of(terms, access.element_size, len(rows))
        else:
            slots = np.full(len(rows), -1)
        if (slots == slots[0]).all():
            self._by_slot(access, rows, int(slots[0]))
        else:
            for slot in np.unique(slots):
                self._by_slot(access, rows.chosen(np.flatnonzero(slots == slot)), int(slot))
        self._survey.note(access, self._lost)

    def on_read(self, addresses: Array, active: Array, element_size: int) -> Array:
        """Return the lanes to read; remember that their cells must keep what they hold."""
        lost = self._ranges.outside(addresses, active, element_size)
        touched = active if lost is None else active & ~lost
        if self._read is None:
            self._read = np.zeros(max(self._layout.cells, 1), dtype=np.bool_)
        for slot, cells in self._placed(addresses[touched].astype(np.int64)):
            for part in range(max(1, element_size // slot.unit)):
                self._read[cells + part] = True
        return touched

    # One access --------------------------------------------------------------------------------

    def _slots_of(self, terms: Any, size: int, count: int) -> Array:
        """Return the storage in which all of a row's addresses lie, masked or not; -1 for none."""
        low, high = algebra.program_bounds(terms)
        found = np.searchsorted(self._starts, low, side="right") - 1
        inside = (found >= 0) & (high + size <= self._ends[found])
        slots: Array = np.where(inside, found, -1)
        return np.broadcast_to(slots, (count,))

    def _by_slot(self, access: BatchAccess, rows: Rows, index: int) -> None:
        slot = self._slots[index] if index >= 0 else None
        if slot is not None:
            self._kinds.setdefault(slot.first, set()).add(access.kind)
        for part in merged(rows):
            in_cells = None if slot is None else _in_cells(part, slot)
            if slot is not None and in_cells is not None:
                if self._adder is not None:
                    self._adder.add_rows(
                        access.kind, slot, access.element_size, in_cells, access.shape
                    )
            else:
                self._lane_by_lane(access, part)

    def _lane_by_lane(self, access: BatchAccess, rows: Rows) -> None:
        """Count lanes of which some lie outside, or in storages of which nothing is known."""
        for piece, _ in pieces(rows):
            values, active, times = lanes(piece, access.shape)
            if active is None:
                active = np.broadcast_to(np.True_, values.shape)
            addresses = np.ascontiguousarray(values).view(np.uint64)
            lost = self._ranges.outside(addresses, active, access.element_size)
            if lost is not None:
                self._tell_outside(access, piece, addresses, lost, times)
                active = active & ~lost
            for slot in self._slots:
                here = active & (values >= slot.start) & (values < slot.end)
                if self._adder is not None and here.any():
                    self._kinds.setdefault(slot.first, set()).add(access.kind)
                    shift = slot.unit.bit_length() - 1
                    cells = ((values - slot.start) >> shift) + slot.first
                    self._adder.add(
                        access.kind, slot, access.element_size, cells, here, piece, times
                    )

    def _tell_outside(
        self, access: BatchAccess, rows: Rows, addresses: Array, lost: Array, times: int
    ) -> None:
        flat, gone = addresses.reshape(len(rows), -1), lost.reshape(len(rows), -1)
        for at in np.flatnonzero(gone.any(axis=1)):
            first = int(flat[at, int(gone[at].argmax())])
            name, distance = self._nearest(access.pointer, first, access.element_size)
            key = (name, access.kind, access.line, access.file)
            program = int(rows.first[at])
            count = int(gone[at].sum()) * times * int(rows.weight[at])
            self._lost += count
            known = self.outside.get(key)
            if known is None:
                self.outside[key] = _Outside(program, access.number, distance, count)
                continue
            known.lanes += count
            if (program, access.number) < (known.program, known.number):
                self.outside[key] = replace(
                    known, program=program, number=access.number, distance=distance
                )

    def _placed(self, addresses: Array) -> Any:
        """Yield each storage with the cells of the addresses that lie in it."""
        for slot in self._slots:
            inside = addresses[(addresses >= slot.start) & (addresses < slot.end)]
            if inside.size:
                yield slot, ((inside - slot.start) >> (slot.unit.bit_length() - 1)) + slot.first

    # The end -----------------------------------------------------------------------------------

    def out_of_bounds(self, most: int) -> tuple[OutOfBounds, ...]:
        """Return what lay outside, in the order in which program after program would meet it."""
        ordered = sorted(self.outside.items(), key=lambda one: (one[1].program, one[1].number))
        return tuple(
            OutOfBounds(name, kind, found.program, found.distance, found.lanes, line, file)
            for (name, kind, line, file), found in ordered[:most]
        )

    def finish(self, *, trusted: bool = False, sampled: bool = False) -> None:
        """Complete the counters, and check that not running the stores changed nothing.

        Parameters
        ----------
        trusted
            A count of the whole launch has shown this before. Without it or such a count here, no
            address may depend on what memory holds.
        sampled
            These are some programs of the launch only: what their stores do to each other is not
            asked.

        Raises
        ------
        NeedsExactError
            A value that was read is stored somewhere, or programs store to the same elements: only
            running them tells whether they store different values.
        """
        if self._adder is not None:
            self._adder.settle()
        if trusted:
            return
        read = self._read
        if self._cells is None or len(self._cells.vectors) == 2:
            if read is not None:
                raise NeedsExactError("an address depends on a value in memory")
            return
        _, stores, storer_last, storer_first, *_ = self._cells.vectors
        if read is not None and (read & (stores > 0)).any():
            raise NeedsExactError("an address depends on a value that the launch stores")
        if sampled:
            return
        for slot in self._slots:
            if "store" not in self._kinds.get(slot.first, ()):
                continue
            cells = slice(slot.first, slot.first + slot.cells)
            # As in `Counts`: with one storer the two add to limit + 1, the lowest int32.
            several = (storer_last[cells] + storer_first[cells]) != np.int32(-(2**31))
            if (several & (stores[cells] > 0)).any():
                raise NeedsExactError("programs store to the same elements")
        updated = [slot for slot in self._slots if "atomic" in self._kinds.get(slot.first, ())]
        if any(len(self._kinds[slot.first]) > 1 for slot in updated):
            raise NeedsExactError("atomics and plain accesses touch the same tensor")
        if updated:
            self._cells.keep_atomics_apart(updated)


def _in_cells(rows: Rows, slot: StorageSlot) -> Rows | None:
    """Return rows with cells in place of addresses; None where a term is no whole number of them.

    All of the rows' addresses lie in the storage, and no sum of terms wraps around.
    """
    shift = slot.unit.bit_length() - 1
    moved = (rows.terms[0] - slot.start, *rows.terms[1:])
    if len(moved) > 1 and any((term & (slot.unit - 1)).any() for term in moved):
        return None
    terms = tuple(term >> shift for term in moved)
    return replace(rows, terms=(terms[0] + slot.first, *terms[1:]))
