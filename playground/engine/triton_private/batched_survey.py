"""What each place in the source does, told of batches: exact totals, and accesses to look at how.

The twin of `interpreter_recording` for programs that run together. Accesses are kept as they come,
as sums of terms; addresses are made of them at the end, for the programs that are looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
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
from playground.engine.triton_private import batched_values as algebra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.engine.counter_layout import Layout
    from playground.engine.triton_private.batched_memory import BatchAccess
    from playground.engine.triton_private.batched_values import Terms
    from playground.engine.triton_private.interpreter_formats import Array

_KEPT_BYTES = 64 << 20
_NOT_ACTIVE = -1


@dataclass(frozen=True)
class _Kept:
    """One access of some programs; axis 0 of the terms is the program, or has size 1."""

    site: RecordedSite
    shape: tuple[int, ...]
    element_size: int
    programs: Array
    addresses: Terms
    mask: Terms


class BatchSurvey:
    """Adds up what each place in the source does, and keeps accesses of programs to look at.

    Parameters
    ----------
    programs
        How many programs the launch has.
    chosen
        Keep the accesses of these programs; None for all, or for a sample of a large launch.
    lanes
        How many lanes to keep at most. Above it `whole` is False, and only the accesses of a sample
        are kept.
    smallest
        Lanes that an access takes of these at least.
    """

    def __init__(
        self, programs: int, chosen: Sequence[int] | None = None,
        lanes: int = LOOKED_AT_WHOLE_LANES, smallest: int = SMALLEST_LANES,
    ) -> None:  # fmt: skip
        self.whole = True
        self.operations: dict[str, int] = {}
        self._totals: dict[RecordedSite, SiteTotals] = {}
        self._first: dict[RecordedSite, tuple[int, int]] = {}
        self._programs = tuple(range(programs)) if chosen is None else tuple(chosen)
        self._sample = np.array(sample_of(programs), dtype=np.int64)
        self._lanes_left = lanes
        self._smallest = smallest
        self._kept: list[_Kept] = []
        self._kept_bytes = 0
        self._kept_sites: set[RecordedSite] = set()

    def note(self, access: BatchAccess, outside: int) -> None:
        """Take one access of a batch, of which so many lanes fall outside of every storage."""
        site = RecordedSite(access.kind, access.file or "", access.line or 0, access.column)
        total = self._totals.setdefault(site, SiteTotals())
        place = int(access.programs[0]), access.number
        self._first[site] = min(self._first.get(site, place), place)
        count = len(access.programs)
        lanes = count * math.prod(access.shape)
        total.add(lanes, active_lanes(access), outside, access.element_size)
        kept = _Kept(
            site, access.shape, access.element_size, access.programs, access.addresses, access.mask
        )
        if self.whole:
            self._lanes_left -= count * max(lanes // count, self._smallest)
            if self._lanes_left < 0:
                self.whole = False
                held, self._kept, self._kept_bytes = self._kept, [], 0
                self._kept_sites.clear()
                for one in held:
                    self._keep(self._of_sample(one))
        self._keep(kept if self.whole else self._of_sample(kept))

    def _of_sample(self, kept: _Kept) -> _Kept:
        index = np.flatnonzero(np.isin(kept.programs, self._sample))
        return _Kept(
            kept.site, kept.shape, kept.element_size, kept.programs[index],
            _rows(kept.addresses, index), _rows(kept.mask, index),
        )  # fmt: skip

    def _keep(self, kept: _Kept) -> None:
        size = sum(term.nbytes for term in (*kept.addresses, *kept.mask))
        if not len(kept.programs):
            return
        # Of each place one access at least, however much the places before it have.
        first = kept.site not in self._kept_sites
        if self.whole or first or self._kept_bytes + size <= _KEPT_BYTES:
            self._kept.append(kept)
            self._kept_bytes += size
            self._kept_sites.add(kept.site)

    def note_operations(self, name: str, count: int) -> None:
        """Count element operations of a reduction or scan."""
        self.operations[name] = self.operations.get(name, 0) + count

    # The end ----------------------------------------------------------------------------------

    def survey(self, layout: Layout) -> Survey:
        """Return what was seen; places come in the order in which programs one by one meet them."""
        ordered = sorted(self._totals, key=lambda site: self._first[site])
        totals = {site: self._totals[site] for site in ordered}
        return Survey(totals, self.recording(layout), self.operations)

    def recording(self, layout: Layout) -> Recording:
        """Return the accesses that were kept."""
        sites: dict[RecordedSite, int] = {}
        shapes: dict[tuple[int, ...], int] = {}
        rows, addresses = [], []
        for program, kept, row in self._chosen():
            lanes = math.prod(kept.shape)
            rows.append(
                (
                    program, sites.setdefault(kept.site, len(sites)),
                    shapes.setdefault(kept.shape, len(shapes)), kept.element_size, lanes,
                )
            )  # fmt: skip
            addresses.append(_lanes(kept, row))
        table = np.array(rows, dtype=np.int64).reshape(-1, 5)
        lanes_of = table[:, 4]
        raw = RawAccesses(
            table[:, 0], table[:, 1], table[:, 2], table[:, 3], lanes_of,
            np.cumsum(lanes_of) - lanes_of, np.concatenate([np.zeros(0, np.int64), *addresses]),
        )  # fmt: skip
        programs: Sequence[int] = self._programs
        if not self.whole:
            programs = tuple(sorted(set(table[:, 0].tolist())))
        return assembled(
            raw, programs, tuple(sites), tuple(shapes), layout, truncated=not self.whole
        )

    def _chosen(self) -> Iterator[tuple[int, _Kept, int]]:
        """Yield the accesses to look at, program after program: all, or each place's share."""
        by_program: dict[int, list[tuple[_Kept, int]]] = {}
        for kept in self._kept:
            for row, program in enumerate(kept.programs.tolist()):
                by_program.setdefault(program, []).append((kept, row))
        share = LOOKED_AT_LANES // max(len(self._totals), 1)
        held: dict[RecordedSite, int] = {}
        for program in sorted(by_program):
            for kept, row in by_program[program]:
                lanes = max(math.prod(kept.shape), self._smallest)
                before = held.get(kept.site, 0)
                if not self.whole and before and before + lanes > share:
                    continue
                held[kept.site] = before + lanes
                yield program, kept, row


def active_lanes(access: BatchAccess) -> int:
    """Return how many lanes of all programs the mask lets through."""
    total = len(access.programs) * math.prod(access.shape)
    varying = [{axis for axis, size in enumerate(part.shape) if size > 1} for part in access.mask]
    axes = sum(len(one) for one in varying)
    parts = access.mask
    if len(set().union(*varying)) < axes:  # they meet in some axis: not independent
        parts = (algebra.dense(access.mask),)
    found = math.prod(int(np.count_nonzero(part)) for part in parts)
    return found * (total // math.prod(part.size for part in parts))


def _rows(terms: Terms, index: Array) -> Terms:
    return tuple(term if len(term) == 1 else term[index] for term in terms)


def _lanes(kept: _Kept, row: int) -> Array:
    """Return the addresses of all lanes of one program, -1 where the mask is off."""
    own = tuple(term[0 if len(term) == 1 else row] for term in kept.addresses)
    mask = tuple(term[0 if len(term) == 1 else row] for term in kept.mask)
    addresses = np.broadcast_to(algebra.dense(own), kept.shape).astype(np.int64)
    addresses[~np.broadcast_to(algebra.dense(mask), kept.shape)] = _NOT_ACTIVE
    return addresses.reshape(-1)
