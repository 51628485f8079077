"""Who touches marked cells, in the interpreter: the twin of the tracing copy's "marked"."""

from __future__ import annotations

import bisect
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.hazards import MAYBE_UNWRITTEN, RANK_SHIFT, UNWRITTEN, MarkedRun
from playground.engine.recording import RecordedSite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.counter_layout import Layout, StorageSlot
    from playground.engine.job import Job
    from playground.engine.triton_private.interpreter_access import Access
    from playground.engine.triton_private.interpreter_formats import Array

_CHECK_EVERY_S = 0.1


class Placed:
    """Finds the storages that addresses lie in."""

    def __init__(self, layout: Layout) -> None:
        self._slots = sorted(layout.storages, key=lambda slot: slot.start)
        self._starts = [slot.start for slot in self._slots]

    def by_storage(self, addresses: Array) -> Iterator[tuple[StorageSlot, Array]]:
        """Yield each storage with those of the addresses (one dimension) that lie in it."""
        low, high = int(addresses.min()), int(addresses.max())
        index = bisect.bisect_right(self._starts, low) - 1
        if index >= 0 and high < self._slots[index].end:
            yield self._slots[index], addresses
            return
        for slot in self._slots:
            inside = (addresses >= np.uint64(slot.start)) & (addresses < np.uint64(slot.end))
            if inside.any():
                yield slot, addresses[inside]


def cells_of(addresses: Array, slot: StorageSlot) -> Array:
    """Return the first cell of each address in a storage."""
    shift = np.uint64(slot.unit.bit_length() - 1)
    cells: Array = ((addresses - np.uint64(slot.start)) >> shift).astype(np.int64) + slot.first
    return cells


class MarkedWatcher:
    """Notes which marks each place meets, and reads of what is not written; an `Observer`.

    Parameters
    ----------
    marks
        int32 over cells: see `engine.hazards`.
    """

    def __init__(self, layout: Layout, marks: Array, job: Job) -> None:
        self.enough = False
        self._marks = marks
        self._job = job
        self._placed = Placed(layout)
        self._next_check_s = 0.0
        self._bits: dict[RecordedSite, int] = {}
        self._written = np.zeros(marks.shape, np.bool_)
        self._unwritten_first = np.zeros(marks.shape, np.int32)

    def on_access(self, access: Access) -> None:
        """Look at the marked cells among those that an access touches."""
        now = time.monotonic()
        if now > self._next_check_s:
            self._job.check()
            self._next_check_s = now + _CHECK_EVERY_S
        addresses = access.addresses[access.active & access.in_bounds].reshape(-1)
        if not addresses.size:
            return
        for slot, here in self._placed.by_storage(addresses):
            first = cells_of(here, slot)
            for part in range(max(1, access.element_size // slot.unit)):
                self._look(access, first + part)

    def _look(self, access: Access, cells: Array) -> None:
        marks = self._marks[cells]
        bits = int(np.bitwise_or.reduce(marks)) & ((1 << RANK_SHIFT) - 1)
        if not bits:
            return
        if bits & MAYBE_UNWRITTEN:
            fresh = cells[(marks & MAYBE_UNWRITTEN) != 0]
            if access.kind != "store":
                never = fresh[~self._written[fresh]]
                if never.size:
                    bits |= UNWRITTEN
                    before = np.int32(PROGRAM_LIMIT - access.program)
                    self._unwritten_first[never] = np.maximum(self._unwritten_first[never], before)
            if access.kind != "load":
                self._written[fresh] = True
        site = RecordedSite(access.kind, access.file or "", access.line or 0, access.column)
        self._bits[site] = self._bits.get(site, 0) | bits

    def on_dot(self, m: int, n: int, k: int, kind: str) -> None:
        """Take no notice of arithmetic."""

    def on_operations(self, name: str, count: int) -> None:
        """Take no notice of arithmetic."""

    def run(self) -> MarkedRun:
        """Return what was seen."""
        first: Any = torch.from_numpy(self._unwritten_first)
        return MarkedRun(list(self._bits.values()), first, sites=list(self._bits))
