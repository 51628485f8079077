"""The warp-sized requests of one access, worked out from its addresses.

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

from playground.model.access_site import SECTOR_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    Integers = np.ndarray[tuple[int, ...], np.dtype[np.signedinteger]]
    Block = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

WARP_THREADS = 32
WIDEST_BYTES = 16
"""The most bytes of one memory instruction of a thread."""


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


class Patterns:
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
