"""Drawing samples: which clock, how many, when to stop."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

from playground.engine.clocks import choice, events, graph
from playground.engine.clocks.work import NoRecordsError, Work
from playground.engine.findings import is_fatal
from playground.model.statistics import median, median_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.model.coverage import Coverage
    from playground.model.measurement import CacheMode, ClockSource, Stopped

DROPPED = 5
"""Samples dropped at the start of each measurement; they run up to 6 % fast."""
MINIMUM_SAMPLES, MAXIMUM_SAMPLES = 10, 500
"""More would cost as much to read as to draw, and half the interval takes four times as many."""
CHUNK_MS = 100.0
"""Measuring time between two looks at whether the median is settled; opening and reading a CUPTI
session costs 10 to 20 ms, so a chunk is much longer than that."""
SETTLED_SAMPLES = 50
SETTLED_WITHIN = 0.0025
"""Half width of the median's 95 % interval (relative) at which more samples change nothing."""
DRIFT, DRIFT_SAMPLES = 0.03, 10
"""Change from the first third of samples to the last (relative) that makes them two populations,
and the fewest samples of a third that can tell."""
MOST_SETS = 64
"""Sets of buffers that the graph clock rotates over."""
EVENTS_FROM_MS = 0.05
"""From here up an event pair agrees with the kernel's own record (launch gap under 5 %)."""


@dataclass
class Samples:
    """Samples in ms in the order drawn, their clock, and why there are not more."""

    times_ms: list[float] = field(default_factory=list)
    source: ClockSource = "cupti"
    stopped: Stopped = "budget"
    notes: tuple[str, ...] = ()


def work_of(prepared: PreparedReplay, cache: CacheMode, restores: bool) -> Work:
    """Return a replay as something to time, with what each sample needs done ahead of it.

    Parameters
    ----------
    restores
        The inputs are put back before each sample: a launch after another would be a different one.
    """
    steps: list[Callable[[], object]] = []
    if restores:
        steps.append(prepared.restore)
    if cache == "cold":
        steps.append(evict)
    if not steps:
        return Work(lambda: prepared.run())

    def before() -> None:
        for step in steps:
            step()

    # Not `prepared.run` itself: its first call replaces it by a shorter way.
    return Work(lambda: prepared.run(), before)


def reads_what_it_writes(counted: Coverage | None) -> bool:
    """Tell whether some tensor is both loaded and stored: a second launch is then another.

    What was not counted may do so.
    """
    return counted is None or any(
        tensor.loads.total and tensor.stores.total for tensor in counted.tensors
    )


def evict() -> None:
    """Leave nothing of any kernel's data in the L2, by writing twice its size."""
    _eviction_buffer(torch.cuda.current_device()).zero_()


@lru_cache(maxsize=8)
def _eviction_buffer(device: int) -> torch.Tensor:
    l2_bytes = torch.cuda.get_device_properties(device).L2_cache_size
    return torch.empty(max(2 * l2_bytes, 64 << 20), dtype=torch.uint8, device=f"cuda:{device}")


def draw(
    prepared: PreparedReplay,
    work: Work,
    cache: CacheMode,
    estimate_ms: float,
    budget_ms: float,
    job: Job,
    restores: bool,
) -> Samples:
    """Return samples of a replay: until its median is settled, or the budget is spent.

    Parameters
    ----------
    estimate_ms
        About what one launch takes.
    budget_ms
        Measuring time; the least number of samples is drawn whatever it is.

    Raises
    ------
    NoRecordsError
        The reader of records that was asked for gives none here.
    """
    between_ms = 0.0
    if work.before is not None:
        between_ms = min(events.sample(Work(work.before), 3))
    each_ms = estimate_ms + between_ms
    wanted = min(max(int(budget_ms / each_ms), MINIMUM_SAMPLES), MAXIMUM_SAMPLES)
    chunk = max(int(CHUNK_MS / each_ms), MINIMUM_SAMPLES)
    kernel = prepared.launch.info.kernel
    asked = choice.asked()
    if asked == "events":
        return _by_events(work, wanted, Samples())
    if asked == "graph":
        return _by_graph(prepared, cache, estimate_ms, budget_ms, Samples())
    samples = Samples(source=choice.reader())
    try:
        while len(samples.times_ms) < wanted and samples.stopped != "settled":
            count = wanted - len(samples.times_ms)
            count = chunk if count > 1.5 * chunk else count
            samples.times_ms += choice.sample(work, count + DROPPED, kernel)[DROPPED:]
            if settled(samples.times_ms):
                samples.stopped = "settled"
            job.check()
        return samples
    except (NoRecordsError, RuntimeError) as error:
        if is_fatal(error) or asked is not None:
            raise
        samples = Samples(notes=(f"no kernel records ({error})",))
    if estimate_ms >= EVENTS_FROM_MS or restores:
        return _by_events(work, wanted, samples)
    return _by_graph(prepared, cache, estimate_ms, budget_ms, samples)


def _by_events(work: Work, wanted: int, samples: Samples) -> Samples:
    samples.source = "events"
    samples.times_ms = events.sample(work, wanted + DROPPED)[DROPPED:]
    return samples


def _by_graph(
    prepared: PreparedReplay,
    cache: CacheMode,
    estimate_ms: float,
    budget_ms: float,
    samples: Samples,
) -> Samples:
    sets = rotation(prepared, cache)
    if cache == "cold" and len(sets) == MOST_SETS:
        note = "the rotating buffers are too small to leave the L2: not quite cold"
        samples.notes = (*samples.notes, note)
    calls = max(len(sets), min(200, int(2 / estimate_ms)))
    replays = max(MINIMUM_SAMPLES, min(200, int(budget_ms / (calls * estimate_ms))))
    samples.source = "graph"
    samples.times_ms = graph.sample([item.run for item in sets], calls, replays)
    return samples


def settled(times_ms: list[float]) -> bool:
    """Tell whether the median of samples is known well enough."""
    if len(times_ms) < SETTLED_SAMPLES:
        return False
    low, high = median_interval(times_ms)
    return high - low <= 2 * SETTLED_WITHIN * median(times_ms)


def drifted(times_ms: list[float]) -> bool:
    """Tell whether the last third of samples is another population than the first: clocks moved."""
    third = len(times_ms) // 3
    if third < DRIFT_SAMPLES:
        return False
    return abs(median(times_ms[-third:]) / median(times_ms[:third]) - 1) > DRIFT


def rotation(prepared: PreparedReplay, cache: CacheMode) -> list[PreparedReplay]:
    """Return replays on as many sets of buffers as it takes to exceed the L2; one when warm."""
    if cache != "cold":
        return [prepared]
    l2_bytes = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
    touched = sum(
        value.numel() * value.element_size()
        for value in prepared.arguments.values()
        if isinstance(value, torch.Tensor)
    )
    sets = min(MOST_SETS, 2 * l2_bytes // max(touched, 1) + 2)
    return [prepared, *(prepared.clone() for _ in range(sets - 1))]
