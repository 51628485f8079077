"""Recording in the interpreter: an observer that keeps the accesses of chosen programs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from playground.engine.access_sites import (
    LOOKED_AT_LANES,
    LOOKED_AT_WHOLE_LANES,
    SMALLEST_LANES,
    SiteTotals,
    Survey,
    sample_of,
)
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
    """

    def __init__(self, programs: Sequence[int], job: Job, budget_bytes: int) -> None:
        self.enough = False
        self._programs = tuple(programs)
        self._chosen = frozenset(programs)
        self._last = max(programs, default=-1)
        self._job = job
        self._next_check_s = 0.0
        self._kept_lanes: dict[RecordedSite, int] = {}
        self._lanes_left = budget_bytes // 8
        self._truncated = False
        self._sites: dict[RecordedSite, int] = {}
        self._shapes: dict[tuple[int, ...], int] = {}
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._addresses: list[Array] = []

    def on_access(self, access: Access) -> None:
        """Keep an access of a chosen program."""
        if access.program not in self._chosen:
            if access.program > self._last:
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
        self._keep(access)

    def _keep(self, access: Access) -> None:
        site = RecordedSite(access.kind, access.file or "", access.line or 0, access.column)
        shape = access.addresses.shape
        self._rows.append(
            (
                access.program,
                self._sites.setdefault(site, len(self._sites)),
                self._shapes.setdefault(shape, len(self._shapes)),
                access.element_size,
                access.addresses.size,
            )
        )
        kept = access.addresses.astype(np.int64)
        kept[~np.broadcast_to(access.active, shape)] = _NOT_ACTIVE
        self._addresses.append(kept.reshape(-1))

    def on_dot(self, m: int, n: int, k: int, kind: str) -> None:
        """Take no notice of arithmetic."""

    def on_operations(self, name: str, count: int) -> None:
        """Take no notice of arithmetic."""

    def recording(self, layout: Layout) -> Recording:
        """Return what was kept."""
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 5)
        lanes = rows[:, 4]
        raw = RawAccesses(
            rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3], lanes, np.cumsum(lanes) - lanes,
            np.concatenate([np.zeros(0, np.int64), *self._addresses]),
        )  # fmt: skip
        programs: Sequence[int] = self._programs
        if self._truncated:  # programs may take turns: the kept ones are those with accesses
            programs = tuple(sorted(set(rows[:, 0].tolist())))
        return assembled(
            raw, programs, tuple(self._sites), tuple(self._shapes), layout,
            truncated=self._truncated,
        )  # fmt: skip


class Surveyor(AccessRecorder):
    """Adds up what each place in the source does, and keeps some accesses to look at how.

    All accesses of a small launch are kept. Once it turns out to be a large one, only those of a
    sample of programs are, and of each place so many that they have a fixed share of lanes.

    Parameters
    ----------
    programs
        How many programs the launch has.
    """

    def __init__(self, programs: int, job: Job) -> None:
        super().__init__(range(programs), job, 8 * LOOKED_AT_WHOLE_LANES)
        self.totals: dict[RecordedSite, SiteTotals] = {}
        self.operations: dict[str, int] = {}
        self._sample = sample_of(programs)
        self._whole = True

    def on_access(self, access: Access) -> None:
        """Count an access, and keep it where it is one to look at."""
        site = RecordedSite(access.kind, access.file or "", access.line or 0, access.column)
        total = self.totals.get(site)
        if total is None:
            total = self.totals[site] = SiteTotals()
        lanes = access.addresses.size
        active = int(np.count_nonzero(np.broadcast_to(access.active, access.addresses.shape)))
        lost = 0
        if not access.in_bounds.all():
            lost = int(np.count_nonzero(access.active & ~access.in_bounds))
        total.add(lanes, active, lost, access.element_size)
        if self._whole:
            self._lanes_left -= max(lanes, SMALLEST_LANES)
            if self._lanes_left >= 0:
                self._keep(access)
                return
            self._thin_out()
        if access.program in self._chosen and self._more_of(site, lanes):
            self._keep(access)

    def on_operations(self, name: str, count: int) -> None:
        """Count element operations of a reduction or scan."""
        self.operations[name] = self.operations.get(name, 0) + count

    def _thin_out(self) -> None:
        """Drop what is not of the sample: the launch is a large one."""
        self._whole, self._truncated = False, True
        self._chosen = frozenset(self._sample)
        rows, addresses = self._rows, self._addresses
        self._rows, self._addresses = [], []
        sites = list(self._sites)
        for row, kept in zip(rows, addresses, strict=True):
            if row[0] in self._chosen and self._more_of(sites[row[1]], row[4]):
                self._rows.append(row)
                self._addresses.append(kept)

    def _more_of(self, site: RecordedSite, lanes: int) -> bool:
        """Tell whether another access of a place is wanted: its first, then up to its share."""
        held, lanes = self._kept_lanes.get(site, 0), max(lanes, SMALLEST_LANES)
        if held and held + lanes > LOOKED_AT_LANES // max(len(self.totals), 1):
            return False
        self._kept_lanes[site] = held + lanes
        return True

    def survey(self, layout: Layout) -> Survey:
        """Return what was seen."""
        return Survey(self.totals, self.recording(layout), self.operations)
