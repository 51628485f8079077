"""How well each place in the source asks for memory, worked out from real addresses.

A GPU serves a load or store one warp at a time: the addresses of 32 threads become one request,
which moves every 32-byte sector that one of them falls in. How a block's elements are dealt out to
threads is the compiler's choice. The model here deals them out as Triton's coalescing pass does:
the axis along which addresses run on comes first, each thread takes up to 16 neighbouring bytes of
it (as far as they are aligned, and fewer where the block would not give every thread of the
program's warps some), 32 threads side by side are one request.

Its limits: it looks at the addresses of a run where the compiler knows only what it can prove, so
code whose pointers look irregular to the compiler is served by narrower requests than told here
(which touch the same sectors more often); tiles moved by the tensor memory accelerator, and loads
that the compiler turns into copies to shared memory, are dealt out otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from playground.model.access_site import SECTOR_BYTES, AccessSite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from playground.engine.counter_layout import Layout, StorageSlot, TensorView
    from playground.engine.recording import RecordedSite, Recording

    DistinctBytes = Callable[[str, int, int], int | None]
    Integers = np.ndarray[tuple[int, ...], np.dtype[np.signedinteger]]
    Block = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

WARP_THREADS = 32
WIDEST_BYTES = 16
"""The most bytes of one memory instruction of a thread."""
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
    the element operations of reductions and scans, by name.
    """

    totals: dict[RecordedSite, SiteTotals]
    recording: Recording
    operations: dict[str, int]


def sample_of(programs: int, wanted: int = 64) -> list[int]:
    """Return up to `wanted` of a launch's programs: the first, the last and an even spread."""
    if wanted == 1:
        return [0][:programs]
    if programs <= wanted:
        return list(range(programs))
    return sorted({round(index * (programs - 1) / (wanted - 1)) for index in range(wanted)})


# ------------------------------------------------------------------- one access


@dataclass(frozen=True)
class Requests:
    """Warp-sized requests, the sectors they touch, and the fewest that could hold their bytes."""

    requests: int
    sectors: int
    sectors_least: int


def requests_of(
    addresses: np.ndarray[tuple[int], np.dtype[np.uint64]],
    lane: Integers,
    shape: Sequence[int],
    element_size: int,
    num_warps: int,
) -> Requests:
    """Return the requests of one access of one program.

    Parameters
    ----------
    addresses, lane
        Address and number in the block of every lane that touches memory, lanes ascending.
    shape
        The block's shape; empty for a scalar.
    element_size
        Bytes of an element.
    num_warps
        Warps of the program: a thread takes no more than its share of the block.
    """
    if addresses.size == 0:
        return Requests(0, 0, 0)
    sizes = [int(size) for size in shape] or [1]
    relative = (addresses - addresses.min()).astype(np.int64)
    start = int(addresses.min()) % SECTOR_BYTES
    request = warp_requests(relative + start, lane, sizes, element_size, num_warps)
    places = relative + start
    # Request by request; stable, and quick for small numbers.
    numbers = request.astype(np.uint16) if lane.size < 1 << 16 else request
    order = np.argsort(numbers, kind="stable")
    request, places = request[order], places[order]
    begins = np.concatenate([[True], request[1:] != request[:-1]])
    if ((np.diff(places) < 0) & ~begins[1:]).any():
        order = np.lexsort((places, request))
        request, places = request[order], places[order]
    changes = np.concatenate([[True], np.diff(places) != 0]) | begins
    first, last = places // SECTOR_BYTES, (places + element_size - 1) // SECTOR_BYTES
    if np.array_equal(first, last):
        moved = np.concatenate([[True], np.diff(first) != 0]) | begins
        sectors = int(np.count_nonzero(moved))
    else:  # elements that straddle two sectors
        span = int(last.max()) + 1
        keys = np.concatenate([request * span + first, request * span + last])
        sectors = np.unique(keys).size
    # Lanes that ask for the same element ask for it once.
    bytes_asked = np.bincount(request[changes]) * element_size
    least = -(-bytes_asked // SECTOR_BYTES)
    return Requests(int(np.count_nonzero(bytes_asked)), sectors, int(least.sum()))


def warp_requests(
    addresses: Integers, lane: Integers, shape: Sequence[int], element_size: int, num_warps: int
) -> Integers:
    """Return the number of the request that each lane is served by, from 0."""
    lanes = int(np.prod(shape))
    block = np.full(lanes, -1, np.int64)
    block[lane] = addresses
    block = block.reshape(tuple(shape))
    runs = [_run(block, axis, element_size) for axis in range(block.ndim)]
    # Among equals the last axis comes first, as in the compiler.
    order = sorted(range(block.ndim), key=lambda axis: (-runs[axis], -axis))
    lead = order[0]
    share = max(1, lanes // (WARP_THREADS * num_warps))
    vector = min(runs[lead], max(1, WIDEST_BYTES // element_size), share)
    while vector > 1 and not _aligned(block, lead, vector, element_size):
        vector //= 2
    tile = [1] * block.ndim
    threads = WARP_THREADS
    for axis in order:
        each = vector if axis == lead else 1
        beside = max(1, min(threads, shape[axis] // each))
        tile[axis] = each * beside
        threads //= beside
        if threads <= 1:
            break
    number = np.zeros(lane.shape, np.int64)
    rest = lane.astype(np.int64)
    scale = 1
    for axis in reversed(range(block.ndim)):
        rest, index = np.divmod(rest, shape[axis])
        number += index // tile[axis] * scale
        scale *= -(-shape[axis] // tile[axis])
    return number


def _run(block: Block, axis: int, element_size: int) -> int:
    """Return the longest power of two such that neighbours in groups of so many lie side by side.

    Lanes that touch nothing break no run.
    """
    size = block.shape[axis]
    if size == 1:
        return 1
    turned = np.moveaxis(block, axis, -1)
    before, after = turned[..., :-1], turned[..., 1:]
    broken = (before >= 0) & (after >= 0) & (after - before != element_size)
    breaks = np.flatnonzero(broken.reshape(-1, size - 1).any(axis=0)) + 1
    run = 1
    while run < size and not (breaks % (2 * run)).any():
        run *= 2
    return run


def _aligned(block: Block, axis: int, vector: int, element_size: int) -> bool:
    """Tell whether every thread's elements begin at a multiple of their bytes."""
    first = np.moveaxis(block, axis, -1)[..., ::vector]
    return not ((first >= 0) & (first % (vector * element_size) != 0)).any()


# ------------------------------------------------------------------- all accesses of a recording


class _Patterns:
    """The requests of accesses that look alike: computed once for each way of lying in memory."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, bytes, bytes], Requests] = {}

    def requests(
        self, addresses: np.ndarray[tuple[int], np.dtype[np.uint64]], lane: Integers,
        shape: tuple[int, ...], element_size: int, num_warps: int,
    ) -> Requests:  # fmt: skip
        """Return the requests of an access, from an earlier one where it only lies elsewhere."""
        if addresses.size == 0:
            return Requests(0, 0, 0)
        # The grain of 128 bytes keeps the alignment of sectors and of threads' pieces.
        offset = int(addresses[0]) % 128
        relative = (addresses - addresses[0]).tobytes()
        key = offset, element_size, relative, lane.tobytes()
        found = self._known.get(key)
        if found is None:
            found = requests_of(addresses, lane, shape, element_size, num_warps)
            self._known[key] = found  # all of them hold no more than the recording does
        return found


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
    return tuple(
        _site(site, total, survey.recording, layout, programs, num_warps, distinct_bytes)
        for site, total in survey.totals.items()
    )


def _site(
    site: RecordedSite, total: SiteTotals, recording: Recording, layout: Layout, programs: int,
    num_warps: int, distinct_bytes: DistinctBytes,
) -> AccessSite:  # fmt: skip
    number = recording.sites.index(site) if site in recording.sites else -1
    mine = np.flatnonzero(recording.site == number)
    patterns: dict[tuple[int, ...], _Patterns] = {}
    requests = sectors = least = bytes_looked_at = 0
    pieces = []
    for index in mine:
        cut = slice(int(recording.offsets[index]), int(recording.offsets[index + 1]))
        addresses, lane = recording.addresses[cut], recording.lane[cut]
        shape = recording.shapes[int(recording.shape[index])]
        size = int(recording.element_size[index])
        found = patterns.setdefault(shape, _Patterns()).requests(
            addresses, lane, shape, size, num_warps
        )
        requests += found.requests
        sectors += found.sectors
        least += found.sectors_least
        bytes_looked_at += size * addresses.size
        pieces.append((addresses, size))
    tensors, storages = touched(pieces, layout)
    looked_at = len(set(recording.program[mine].tolist()))
    unique = None
    if len(storages) == 1:
        unique = distinct_bytes(site.kind, storages[0], total.bytes_requested)
    return AccessSite(
        kind=site.kind,
        line=site.line,
        file=site.file,
        tensors=tensors,
        lanes=total.lanes,
        active=total.active,
        bytes_requested=total.bytes_requested,
        bytes_looked_at=bytes_looked_at if unique is None else total.bytes_requested,
        bytes_unique=_distinct(pieces) if unique is None else unique,
        requests=requests,
        sectors=sectors,
        sectors_least=least,
        executions=len(mine),
        programs_looked_at=looked_at,
        sampled=recording.truncated or len(recording.programs) < programs,
        column=site.column,
    )


def _distinct(pieces: Iterable[tuple[np.ndarray[tuple[int], np.dtype[np.uint64]], int]]) -> int:
    """Return the distinct bytes of accesses to (addresses, element size)."""
    by_size: dict[int, list[np.ndarray[tuple[int], np.dtype[np.uint64]]]] = {}
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
    pieces: Iterable[tuple[np.ndarray[tuple[int], np.dtype[np.uint64]], int]], layout: Layout
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
    addresses: np.ndarray[tuple[int], np.dtype[np.uint64]],
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
