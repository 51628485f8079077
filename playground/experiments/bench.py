"""What a measurement times with: kernels in random turns by the engine's clocks, the host by ours.

`GpuBench` is the one there is; the tests rehearse every measurement on a bench without a GPU.
"""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, TypeVar

import torch

from playground.engine import sampling, timing
from playground.engine.clocks import choice, cupti, events
from playground.engine.clocks.work import Work
from playground.engine.job import Job
from playground.model.statistics import median

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Size = TypeVar("Size")
Call = "Callable[[], object]"

BUDGET_MS = 120.0
"""Kernel time that a group of variants gets together."""
_FEWEST, _MOST = 8, 60
_THREADS = 12
_HOST_CALLS = 15
"""Few enough that the launch queue never fills: past that point the GPU would be timed instead."""


class Bench(Protocol):
    """What measurements need to know of the place where they run."""

    device: str
    multiprocessors: int
    copy_gbps: float

    def size(self, full: Size, small: Size) -> Size:
        """Return the size to measure at: `full` on a GPU."""

    def times_ms(self, calls: Mapping[str, Callable[[], object]]) -> dict[str, float | None]:
        """Return each call's kernel time, None where it cannot be launched."""

    def spans_ms(self, calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
        """Return each call's time from its first kernel to its last, gaps between included."""

    def host_us(self, call: Callable[[], object]) -> float:
        """Return what a call takes the host, the GPU idle before it."""

    def records(self, call: Callable[[], object]) -> tuple[str, ...]:
        """Return the names of all that a call runs on the GPU, copies among them."""

    def allocations(self, call: Callable[[], object]) -> int:
        """Return the bytes that torch allocates on the device during a call."""


class GpuBench:
    """Times on this machine's GPU, with a cold L2."""

    def __init__(self, job: Job | None = None) -> None:
        from playground.engine.ceilings import copy_gbps

        self.device = "cuda"
        self._job = job or Job()
        index = torch.cuda.current_device()
        self.multiprocessors = int(torch.cuda.get_device_properties(index).multi_processor_count)
        self.copy_gbps = copy_gbps(index)

    def size(self, full: Size, small: Size) -> Size:
        """Return the full size."""
        return full

    def times_ms(self, calls: Mapping[str, Callable[[], object]]) -> dict[str, float | None]:
        """Return each call's kernel time by the hardware's records, None where it does not run."""
        runs = {name: calls[name] for name in launched(calls)}
        medians = self._in_turns(runs, choice_of_records)
        return {name: medians.get(name) for name in calls}

    def spans_ms(self, calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
        """Return each call's time by event pairs, which include the gaps between its kernels."""
        for call in calls.values():
            call()
        return self._in_turns(calls, events.turns)

    def host_us(self, call: Callable[[], object]) -> float:
        """Return the median of some calls in us, each begun with an idle GPU."""
        call()
        times = []
        for _ in range(_HOST_CALLS):
            torch.cuda.synchronize()
            started = time.perf_counter()
            call()
            times.append((time.perf_counter() - started) * 1e6)
        torch.cuda.synchronize()
        return median(times)

    def records(self, call: Callable[[], object]) -> tuple[str, ...]:
        """Return the names in the hardware's records of one call."""
        return cupti.names(call)

    def allocations(self, call: Callable[[], object]) -> int:
        """Return the bytes that torch's allocator handed out during one call."""
        key = "allocated_bytes.all.allocated"
        torch.cuda.synchronize()
        before = torch.cuda.memory_stats()[key]
        call()
        torch.cuda.synchronize()
        return int(torch.cuda.memory_stats()[key] - before)

    def _in_turns(
        self,
        calls: Mapping[str, Callable[[], object]],
        read: Callable[[Sequence[Work], Sequence[int]], list[float]],
    ) -> dict[str, float]:
        if not calls:
            return {}
        self._job.check()
        works = [Work(call, sampling.evict) for call in calls.values()]
        each_ms = sum(min(events.sample(work, 2)) for work in works)
        timing.warm_up(works[0], max(each_ms / len(works), 1e-3), self._job)
        rounds = min(max(int(BUDGET_MS / max(each_ms, 1e-3)), _FEWEST), _MOST)
        turn = random.Random(0)
        indices = range(len(works))
        # The first rounds after a pause run fast; they are no part of the result.
        dropped = list(indices) * 2
        order = [*dropped, *(i for _ in range(rounds) for i in turn.sample(indices, len(works)))]
        times = read(works, order)
        timing.stay_busy()
        by_work: dict[int, list[float]] = {index: [] for index in indices}
        for index, duration in zip(order[len(dropped) :], times[len(dropped) :], strict=True):
            by_work[index].append(duration)
        return {name: median(by_work[index]) for index, name in enumerate(calls)}


def choice_of_records(works: Sequence[Work], order: Sequence[int]) -> list[float]:
    """Return the time of each turn by the best clock there is."""
    return choice.turns(works, order).times_ms


def launched(calls: Mapping[str, Callable[[], object]]) -> list[str]:
    """Run each call once, which compiles it; return the names of those the GPU has room for.

    Compiling takes most of an experiment's time, and threads compile side by side. What fails there
    for another reason than room is tried again alone, and then its failure is told.
    """
    with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1)) as pool:
        outcomes = dict(zip(calls, pool.map(_room, calls.values()), strict=True))
    torch.cuda.synchronize()
    for name, outcome in outcomes.items():
        if outcome is None:
            calls[name]()
            torch.cuda.synchronize()
    return [name for name, outcome in outcomes.items() if outcome is not False]


def _room(call: Callable[[], object]) -> bool | None:
    """Run a call; False where the GPU has no room for it, None where it failed otherwise."""
    try:
        call()
    except Exception as error:  # told when it fails again, alone
        return False if type(error).__name__ == "OutOfResources" else None
    return True
