"""Kernel times from CUPTI activity records, read through torch's profiler."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING

import torch
from torch._C._autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

from playground.engine.clocks.work import NoRecordsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.engine.clocks.work import Work

RESOLUTION_MS = 32e-6
"""The step in which records are kept: the GPU's global timer ticks every 32 ns."""
_MARK = "spin_kernel"
"""What `torch.cuda._sleep` launches; nothing else is called so."""

Record = tuple[str, float]
"""A kernel's name and its duration in ms."""


def available() -> bool:
    """Tell whether this torch was built with CUPTI (Kineto)."""
    return torch.profiler.ProfilerActivity.CUDA in torch.profiler.supported_activities()


def sample(work: Work, count: int, kernel: str) -> list[float]:
    """Return the durations in ms of `count` launches of one kernel, in launch order.

    Parameters
    ----------
    kernel
        The kernel's name in the records; nothing else that `work` does is counted.

    Raises
    ------
    NoRecordsError
        The records do not hold exactly `count` launches of `kernel`: another tool holds CUPTI, or
        the driver gives no access to it.
    """

    def run() -> None:
        for _ in range(count):
            work.perform()

    times = [duration for name, duration in _records(run) if is_named(kernel, name)]
    if len(times) != count:
        raise NoRecordsError(f"CUPTI recorded {len(times)} of {count} launches of {kernel}")
    return times


def turns(works: Sequence[Work], order: Sequence[int]) -> list[float]:
    """Return the kernel time in ms of each turn: `works[order[0]]`, `works[order[1]]` and so on.

    A launch may run several kernels (an expression of torch's): their times are added, the gaps
    between them are not. Which records are whose is learned first: each work runs once between
    marks, and what it ran then has to come again in every turn.

    Raises
    ------
    NoRecordsError
        The kernels of the turns are not those of the first pass.
    """

    def run() -> None:
        for work in works:
            torch.cuda._sleep(1)
            if work.before is not None:
                work.before()
            torch.cuda._sleep(1)
            work.launch()
        torch.cuda._sleep(1)
        for index in order:
            works[index].perform()

    records = _records(run)
    marks = [place for place, (name, _) in enumerate(records) if _MARK in name]
    if len(marks) != 2 * len(works) + 1:
        raise NoRecordsError(f"CUPTI recorded {len(marks)} of {2 * len(works) + 1} marks")
    pieces = [
        [name for name, _ in records[start + 1 : end]] for start, end in itertools.pairwise(marks)
    ]
    before, timed = pieces[0::2], pieces[1::2]
    if not all(timed):
        raise NoRecordsError("what is to be timed launches no kernel")
    times: list[float] = []
    place = marks[-1] + 1
    for index in order:
        expected = before[index] + timed[index]
        turn = records[place : place + len(expected)]
        if [name for name, _ in turn] != expected:
            raise NoRecordsError("a turn ran other kernels than the first time")
        times.append(sum(duration for _, duration in turn[len(before[index]) :]))
        place += len(expected)
    return times


def names(run: Callable[[], object]) -> tuple[str, ...]:
    """Return the names of all that `run` puts on the GPU, in order: kernels, copies, fills."""
    return tuple(name for name, _ in _records(run))


def _records(run: Callable[[], object]) -> list[Record]:
    torch.cuda.synchronize()
    with warnings.catch_warnings():
        # Told once of events that the next cycle drops: there is one cycle, and `acc_events`, which
        # silences it, makes the profiler build its own tree of events (0.1 ms a launch).
        warnings.filterwarnings("ignore", message=".*Profiler clears events")
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            run()
            torch.cuda.synchronize()
    results = profiler.profiler.kineto_results if profiler.profiler is not None else None
    if results is None:
        raise NoRecordsError("the profiler kept no records")
    found = sorted(
        (event.start_ns(), event.duration_ns(), event.name())
        for event in results.events()
        if event.device_type() == DeviceType.CUDA
    )
    return [(name, duration / 1e6) for _, duration, name in found]


def is_named(kernel: str, name: str) -> bool:
    """Tell whether a record's name is that of the kernel."""
    # triton appends its specialisation to some names (`kernel_0d1d`); torch's are templates.
    return name == kernel or (name.startswith(kernel + "_") and "(" not in name and "<" not in name)
