"""Recording in the interpreter: an observer that keeps the accesses of chosen programs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from playground.engine.recording import RawAccesses, RecordedSite, Recording, assembled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.counter_layout import Layout
    from playground.engine.job import Job
    from playground.engine.triton_private.interpreter_access import Access
    from playground.engine.triton_private.interpreter_formats import Array

_CHECK_EVERY_S = 0.1
_NOT_ACTIVE = -1


class EnoughError(Exception):
    """Ends a run once the programs asked for are done."""


class AccessRecorder:
    """Keeps every access of some programs; an `Observer` of the interpreter.

    Parameters
    ----------
    programs
        Linear program ids, ascending.
    budget_bytes
        Memory for addresses; what comes when it is full is left out.
    to_the_end
        Let the programs after the last chosen one run as well: others look at them.
    """

    def __init__(
        self, programs: Sequence[int], job: Job, budget_bytes: int, *, to_the_end: bool = False
    ) -> None:
        self.enough = False
        self._programs = tuple(programs)
        self._chosen = frozenset(programs)
        self._last = max(programs, default=-1)
        self._to_the_end = to_the_end
        self._job = job
        self._next_check_s = 0.0
        self._lanes_left = budget_bytes // 8
        self._truncated = False
        self._sites: dict[RecordedSite, int] = {}
        self._shapes: dict[tuple[int, ...], int] = {}
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._addresses: list[Array] = []

    def on_access(self, access: Access) -> None:
        """Keep an access of a chosen program."""
        if access.program not in self._chosen:
            if access.program > self._last and not self._to_the_end:
                self.enough = True
                raise EnoughError
            return
        now = time.monotonic()
        if now > self._next_check_s:
            self._job.check()
            self._next_check_s = now + _CHECK_EVERY_S
        lanes = access.addresses.size
        if self._truncated or lanes > self._lanes_left:
            self._truncated = True
            return
        self._lanes_left -= lanes
        site = RecordedSite(access.kind, access.file or "", access.line or 0, access.column)
        shape = access.addresses.shape
        self._rows.append(
            (
                access.program,
                self._sites.setdefault(site, len(self._sites)),
                self._shapes.setdefault(shape, len(self._shapes)),
                access.element_size,
                lanes,
            )
        )
        kept = access.addresses.astype(np.int64)
        kept[~np.broadcast_to(access.active, shape)] = _NOT_ACTIVE
        self._addresses.append(kept.reshape(-1))

    def on_dot(self, m: int, n: int, k: int, kind: str) -> None:
        """Take no notice of arithmetic."""

    def recording(self, layout: Layout) -> Recording:
        """Return what was kept."""
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 5)
        lanes = rows[:, 4]
        raw = RawAccesses(
            rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3], lanes, np.cumsum(lanes) - lanes,
            np.concatenate([np.zeros(0, np.int64), *self._addresses]),
        )  # fmt: skip
        programs = self._programs
        if self._truncated:  # programs may take turns: the kept ones are those with accesses
            programs = tuple(sorted(set(rows[:, 0].tolist())))
        return assembled(
            raw, programs, tuple(self._sites), tuple(self._shapes), layout,
            truncated=self._truncated,
        )  # fmt: skip
