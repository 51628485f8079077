"""Where and when the programs of a launch ran: figures of one launch."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.config import Config


@dataclass(frozen=True)
class Schedule:
    """Figures of the schedule of one launch under one config, measured on the GPU.

    `multiprocessors` is the GPU's number of them, `used` how many ran any program. `resident` is
    the most programs that one multiprocessor ran at the same time, `resident_theoretical` what its
    resources allow (None where unknown). `waves` is programs over (multiprocessors x resident).
    `tail_ns` is the time from the first multiprocessor running dry to the end, `idle_share` the
    share of multiprocessor time in [0, 1] in which none of its programs ran. `resolution_ns` is the
    step of the timer.
    """

    launch: int
    config: Config
    grid: tuple[int, int, int]
    multiprocessors: int
    used: int
    duration_ns: int
    shortest_ns: int
    median_ns: int
    longest_ns: int
    resident: int
    resident_theoretical: int | None
    waves: float
    tail_ns: int
    idle_share: float
    resolution_ns: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CacheReuse:
    """Bytes a cache of a given size would fetch, estimated from the order of accesses.

    `requested_bytes` is what all programs ask for, `least_bytes` each line of 128 bytes once,
    `fetched_bytes` what an LRU cache of `cache_bytes` misses, in lines, programs taken in the order
    and as many at a time as `order` says; lines that are stored count like those loaded. `cache_of`
    says whose cache it is. `per_tensor` has (name, requested, fetched).
    """

    launch: int
    config: Config
    order: str
    cache_bytes: int
    cache_of: str
    requested_bytes: int
    least_bytes: int
    fetched_bytes: int
    per_tensor: tuple[tuple[str, int, int], ...]
    notes: tuple[str, ...] = ()
