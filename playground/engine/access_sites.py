"""How well each place in the source asks for memory, worked out from real addresses.

What a place asks for in total is counted; how its accesses lie in memory is looked at in a
recording of some of them: `engine.warp_requests` tells what one access costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from playground.engine.warp_requests import Patterns
from playground.model.access_site import AccessSite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from playground.engine.counter_layout import Layout, StorageSlot, TensorView
    from playground.engine.recording import RecordedSite, Recording

    DistinctBytes = Callable[[str, int, int], int | None]
    Addresses = np.ndarray[tuple[int], np.dtype[np.uint64]]

LOOKED_AT_WHOLE_LANES = 1 << 20
"""A launch that asks for no more lanes is looked at as a whole."""
LOOKED_AT_LANES = 1 << 16
"""Lanes looked at of a larger one, shared by its places: what NumPy does in a few milliseconds."""
SMALLEST_LANES = 64
"""A smaller access counts as so many lanes: it takes as long to look at as one of this size."""
_ADDRESSES_TRIED = 256
"""So many of an access's addresses tell which of several tensors on one storage it touches."""
_UNIQUE_SPAN_BYTES = 256 << 20
"""Up to so many bytes apart, distinct elements are ticked off in a map instead of sorted."""


@dataclass
class SiteTotals:
    """What one place in the source asked for in the whole launch; `active` has lanes outside too.

    `bytes_requested` leaves lanes outside every storage out.
    """

    lanes: int = 0
    active: int = 0
    bytes_requested: int = 0

    def add(self, lanes: int, active: int, outside: int, element_size: int) -> None:
        """Take executions with so many lanes in total."""
        self.lanes += lanes
        self.active += active
        self.bytes_requested += (active - outside) * element_size


@dataclass(frozen=True)
class Survey:
    """What the places of a launch that touch memory do: exact totals, and a look at how.

    `recording` has accesses of all programs, or of a sample and not all of theirs. `operations` are
    the element operations of reductions and scans, by name. `seen` is what `looks_of` tells of the
    recording, where it was worked out already.
    """

    totals: dict[RecordedSite, SiteTotals]
    recording: Recording
    operations: dict[str, int]
    seen: dict[RecordedSite, SiteLook] | None = None


@dataclass(frozen=True)
class SiteLook:
    """What the recorded accesses of one place do: warp-sized requests and the sectors they touch.

    `pieces` are (addresses, element size) of each access, `tensors` and `storages` what they touch:
    names, and numbers in the layout. `programs` is how many made them, `lanes` all lanes of the
    blocks.
    """

    requests: int
    sectors: int
    sectors_least: int
    bytes_asked: int
    pieces: tuple[tuple[Addresses, int], ...]
    tensors: tuple[str, ...]
    storages: tuple[int, ...]
    programs: int
    lanes: int


def sample_of(programs: int, wanted: int = 64) -> list[int]:
    """Return up to `wanted` of a launch's programs: the first, the last and an even spread."""
    if wanted == 1:
        return [0][:programs]
    if programs <= wanted:
        return list(range(programs))
    return sorted({round(index * (programs - 1) / (wanted - 1)) for index in range(wanted)})


def looks_of(recording: Recording, layout: Layout, num_warps: int) -> dict[RecordedSite, SiteLook]:
    """Return what the accesses of a recording tell of their places.

    Parameters
    ----------
    num_warps
        Warps of a program.
    """
    return {
        site: _look(np.flatnonzero(recording.site == number), recording, layout, num_warps)
        for number, site in enumerate(recording.sites)
    }


def _look(
    mine: np.ndarray[tuple[int], np.dtype[np.intp]], recording: Recording, layout: Layout,
    num_warps: int,
) -> SiteLook:  # fmt: skip
    patterns: dict[tuple[int, ...], Patterns] = {}
    requests = sectors = least = bytes_asked = lanes = 0
    pieces = []
    for index in mine:
        cut = slice(int(recording.offsets[index]), int(recording.offsets[index + 1]))
        addresses, lane = recording.addresses[cut], recording.lane[cut]
        shape = recording.shapes[int(recording.shape[index])]
        size = int(recording.element_size[index])
        found = patterns.setdefault(shape, Patterns()).requests(
            addresses, lane, shape, size, num_warps
        )
        requests += found.requests
        sectors += found.sectors
        least += found.sectors_least
        bytes_asked += size * addresses.size
        lanes += math.prod(shape)
        pieces.append((addresses, size))
    tensors, storages = touched(pieces, layout)
    programs = len(set(recording.program[mine].tolist()))
    return SiteLook(
        requests, sectors, least, bytes_asked, tuple(pieces), tensors, storages, programs, lanes
    )


_NOTHING_SEEN = SiteLook(0, 0, 0, 0, (), (), (), 0, 0)


def access_sites(
    survey: Survey,
    layout: Layout,
    programs: int,
    num_warps: int,
    distinct_bytes: DistinctBytes,
) -> tuple[AccessSite, ...]:
    """Return what is known of each place in the source that touches memory.

    Parameters
    ----------
    survey
        What the launch's places did; they come in the order of its totals.
    programs
        How many the launch has.
    num_warps
        Warps of a program.
    distinct_bytes
        Returns, for a kind of access, a storage's number and the bytes requested of it, the
        distinct bytes among them where counters tell; None where several places touched the same
        memory.
    """
    seen = survey.seen
    if seen is None:
        seen = looks_of(survey.recording, layout, num_warps)
    sampled = survey.recording.truncated or len(survey.recording.programs) < programs
    return tuple(
        _site(site, total, seen.get(site, _NOTHING_SEEN), distinct_bytes, sampled=sampled)
        for site, total in survey.totals.items()
    )


def _site(
    site: RecordedSite, total: SiteTotals, look: SiteLook, distinct_bytes: DistinctBytes, *,
    sampled: bool,
) -> AccessSite:  # fmt: skip
    unique = None
    if len(look.storages) == 1:
        unique = distinct_bytes(site.kind, look.storages[0], total.bytes_requested)
    return AccessSite(
        kind=site.kind,
        line=site.line,
        file=site.file,
        tensors=look.tensors,
        lanes=total.lanes,
        active=total.active,
        bytes_requested=total.bytes_requested,
        bytes_looked_at=look.bytes_asked if unique is None else total.bytes_requested,
        bytes_unique=_distinct(look.pieces) if unique is None else unique,
        requests=look.requests,
        sectors=look.sectors,
        sectors_least=look.sectors_least,
        executions=len(look.pieces),
        programs_looked_at=look.programs,
        sampled=sampled,
        column=site.column,
        lanes_looked_at=look.lanes,
    )


def _distinct(pieces: Iterable[tuple[Addresses, int]]) -> int:
    """Return the distinct bytes of accesses to (addresses, element size)."""
    by_size: dict[int, list[Addresses]] = {}
    for addresses, size in pieces:
        if addresses.size:
            by_size.setdefault(size, []).append(addresses)
    if len(by_size) > 1:  # elements of several sizes overlap: count bytes
        merged = [
            one + np.uint64(part)
            for size, many in by_size.items() for one in many for part in range(size)
        ]  # fmt: skip
        by_size = {1: merged}
    total = 0
    for size, many in by_size.items():
        low = min(int(one.min()) for one in many)
        span = (max(int(one.max()) for one in many) - low) // size + 1
        if span <= _UNIQUE_SPAN_BYTES:
            seen = np.zeros(span, np.bool_)
            for one in many:
                seen[((one - np.uint64(low)) // np.uint64(size)).astype(np.int64)] = True
            total += size * int(np.count_nonzero(seen))
        else:
            total += size * int(np.unique(np.concatenate(many)).size)
    return total


def touched(
    pieces: Iterable[tuple[Addresses, int]], layout: Layout
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the names of the tensors that accesses touch, and their storages' numbers."""
    names: set[str] = set()
    storages: dict[int, None] = {}
    for addresses, _ in pieces:
        if not addresses.size:
            continue
        low, high = int(addresses.min()), int(addresses.max())
        for number, slot in enumerate(layout.storages):
            if high < slot.start or low >= slot.end:
                continue
            storages[number] = None
            views = [view for view in layout.tensors if view.storage == number]
            if not {view.name for view in views} <= names:
                names |= _views_touched(addresses, views, slot)
    ordered = [view.name for view in layout.tensors if view.name in names]
    return tuple(dict.fromkeys(ordered)), tuple(storages)


def _views_touched(
    addresses: Addresses,
    views: Sequence[TensorView],
    slot: StorageSlot,
) -> set[str]:
    """Return which tensors on one storage have one of the addresses among their elements."""
    if len(views) == 1:
        return {views[0].name}
    step = max(1, addresses.size // _ADDRESSES_TRIED)
    tried = (addresses[::step].astype(np.int64) - slot.start) // slot.unit + slot.first
    found = set()
    for view in views:
        left = tried - view.offset
        # Places along the axes, the widest step first; exact unless a view overlaps itself.
        for size, stride in sorted(zip(view.shape, view.strides, strict=True), key=lambda x: -x[1]):
            if stride:
                left = left - np.clip(left // stride, 0, size - 1) * stride
        if (left == 0).any():
            found.add(view.name)
    return found or {view.name for view in views}
