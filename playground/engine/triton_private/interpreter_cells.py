"""Counter cells filled by an observer of the interpreter, access by access."""

from __future__ import annotations

import tempfile
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.hazards import Extremes, Touchers
from playground.engine.triton_private.interpreter_marks import Placed, cells_of
from playground.engine.triton_private.interpreter_recording import EnoughError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.counter_layout import Layout, StorageSlot
    from playground.engine.job import Job
    from playground.engine.triton_private.interpreter_access import Access

BUDGET_BYTES = 2 << 30
_CHECK_EVERY_S = 0.1


class CellCounter:
    """Adds accesses to counter cells; an `Observer` of the interpreter.

    Parameters
    ----------
    layout
        Where the storages lie on the counters.
    program
        Count this program only; None for all.
    """

    def __init__(
        self, layout: Layout, job: Job, program: int | None = None, budget_bytes: int = BUDGET_BYTES
    ) -> None:
        self.layout = layout
        self.flops: dict[str, int] = {}
        self.atomics = False
        self.disputed: np.ndarray[Any, np.dtype[np.bool_]] | None = None
        self.enough = False
        self._job = job
        self._program = program
        self._next_check_s = 0.0
        self._placed = Placed(layout)
        kinds = 2 if program is not None else 6
        self.on_disk = kinds * 4 * layout.cells > budget_bytes
        self.vectors = [self._vector(layout.cells) for _ in range(kinds)]
        # Storers and loaders by plain accesses alone, then by atomics: made at the first atomic.
        self.apart: list[np.ndarray[Any, np.dtype[np.int32]]] | None = None

    def _vector(self, cells: int) -> np.ndarray[Any, np.dtype[np.int32]]:
        if not self.on_disk:
            return np.zeros(max(cells, 1), dtype=np.int32)
        # Unlinked at once: the space goes back when the last view on it does.
        with tempfile.TemporaryFile(prefix="playground-counters-") as file:
            return np.memmap(file, dtype=np.int32, mode="w+", shape=(max(cells, 1),))

    def on_access(self, access: Access) -> None:
        """Count one access of one program."""
        if self._program is not None and access.program != self._program:
            if access.program > self._program:
                self.enough = True
                raise EnoughError
            return
        now = time.monotonic()
        if now > self._next_check_s:
            self._job.check()
            self._next_check_s = now + _CHECK_EVERY_S
        self.atomics |= access.kind == "atomic"
        active = access.active & access.in_bounds
        if access.changes is not None and self._program is None:
            changed = access.addresses[active & access.changes].reshape(-1)
            if changed.size:
                for slot, here in self._placed.by_storage(changed):
                    self._dispute(access, here, slot)
        addresses = access.addresses[active].reshape(-1)
        if addresses.size:
            for slot, here in self._placed.by_storage(addresses):
                self._add(access, here, slot)

    def on_dot(self, m: int, n: int, k: int, kind: str) -> None:
        """Count 2·m·n·k operations of one `tl.dot`."""
        self.flops[kind] = self.flops.get(kind, 0) + 2 * m * n * k

    def on_operations(self, name: str, count: int) -> None:
        """Leave reductions and scans to others."""

    def _dispute(self, access: Access, addresses: Any, slot: Any) -> None:
        """Note the cells in which this store replaces another program's value by a different one.

        Programs run one after the other here, so what lies in memory is what was stored last.
        """
        cells = cells_of(addresses, slot)
        latest, earliest = self.vectors[2][cells], self.vectors[3][cells]
        mine = (latest == access.program + 1) & (earliest == PROGRAM_LIMIT - access.program)
        others = cells[(latest > 0) & ~mine]
        if self.apart is not None:  # what an atomic changed since is not another store's value
            others = others[self.apart[4][others] == 0]
        if not others.size:
            return
        if self.disputed is None:
            self.disputed = np.zeros(max(self.layout.cells, 1), dtype=np.bool_)
        for part in range(max(1, access.element_size // slot.unit)):
            self.disputed[others + part] = True

    def _add(self, access: Access, addresses: Any, slot: Any) -> None:
        cells = cells_of(addresses, slot)
        program = access.program
        whole = self._program is None and not self.on_disk
        if access.kind == "atomic" and self.apart is None and whole:
            self.apart = [vector.copy() for vector in self.vectors[2:]]
            self.apart += [self._vector(self.layout.cells) for _ in range(2)]
        for part in range(max(1, access.element_size // slot.unit)):
            touched = cells + part if part else cells
            if access.kind != "store":
                self._count(touched, 0, 4, program)
            if access.kind != "load":
                self._count(touched, 1, 2, program)
            if self.apart is not None:
                pair = _APART[access.kind]
                _keep_extremes(self.apart[pair], self.apart[pair + 1], touched, program)

    def _count(self, cells: Any, kind: int, last: int, program: int) -> None:
        vector = self.vectors[kind]
        low = int(cells.min())
        span = int(cells.max()) - low + 1
        if span <= 4 * cells.size:
            vector[low : low + span] += np.bincount(cells - low, minlength=span).astype(np.int32)
        else:
            np.add.at(vector, cells, 1)
        if self._program is not None:
            return
        _keep_extremes(self.vectors[last], self.vectors[last + 1], cells, program)

    def keep_atomics_apart(self, slots: Sequence[StorageSlot]) -> None:
        """Take what touched these storages for atomics, and all else for plain accesses."""
        if self.on_disk:  # as much again would not fit
            return
        self.apart = [vector.copy() for vector in self.vectors[2:]]
        self.apart += [self._vector(self.layout.cells) for _ in range(2)]
        for slot in slots:
            cells = slice(slot.first, slot.first + slot.cells)
            for plain, atomic in ((0, 4), (1, 5)):
                self.apart[atomic][cells] = self.apart[plain][cells]
            for vector in self.apart[:4]:
                vector[cells] = 0

    def touchers(self) -> Touchers:
        """Return who touched each cell by which means."""
        vectors = [torch.from_numpy(vector) for vector in self.apart or self.vectors[2:]]
        pairs = [Extremes(vectors[at], vectors[at + 1]) for at in range(0, len(vectors), 2)]
        return Touchers(pairs[0], pairs[1], pairs[2] if len(pairs) > 2 else None)


_APART = {"store": 0, "load": 2, "atomic": 4}


def _keep_extremes(latest: Any, earliest: Any, cells: Any, program: int) -> None:
    # Lanes that share a cell write the same value: no order matters.
    latest[cells] = np.maximum(latest[cells], np.int32(program + 1))
    earliest[cells] = np.maximum(earliest[cells], np.int32(PROGRAM_LIMIT - program))
