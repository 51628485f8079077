"""Measuring one config: warm up, choose a clock, sample within a budget, keep every sample.

A sample is kernel time only: restoring inputs and evicting the L2 happen between samples, and the
host's launch cost is measured apart (`host_ms`).
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

from playground.engine.clocks import cupti, events, graph
from playground.engine.clocks.nvml import clock_state
from playground.engine.findings import is_fatal
from playground.engine.triton_private import wrappers
from playground.model.measurement import CacheMode, ClockSource, Measurement
from playground.model.statistics import median

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.model.coverage import Coverage

WARM_UP_MS = 200.0
"""Busy time before the first sample after a pause: the SM clock needs it to settle."""
IDLE_S = 1.0
DROPPED = 5
"""Samples dropped at the start of each measurement; they run up to 6 % fast."""
MINIMUM_SAMPLES, MAXIMUM_SAMPLES = 10, 1000
MOST_SETS = 64
"""Sets of buffers that the graph clock rotates over."""
EVENTS_FROM_MS = 0.05
"""From here up an event pair agrees with the kernel's own record (launch gap under 5 %)."""

_last_busy_s = 0.0


def measure(
    prepared: PreparedReplay,
    *,
    budget_ms: float,
    cache: CacheMode,
    job: Job,
    counted: Coverage | None = None,
) -> Measurement:
    """Return the samples of one prepared replay, about `budget_ms` of measuring.

    Parameters
    ----------
    cache
        `cold` evicts the L2 before every sample, `warm` leaves it as the launch before left it;
        ignored in the interpreter.
    counted
        Coverage of the same launch and config, for the bytes and FLOPs of the result and to know
        whether the kernel reads what it writes, so that inputs must be restored between samples.
    """
    if wrappers.is_interpreted(prepared.launch.function):
        return _interpreted(prepared, budget_ms, job)
    global _last_busy_s
    before_state = clock_state()
    prepared.restore()
    prepared.run()
    torch.cuda.synchronize()
    estimate_ms = _estimate_ms(prepared)
    between = _between_samples(prepared, cache, counted)
    if time.monotonic() - _last_busy_s > IDLE_S:
        _warm_up(prepared, between, estimate_ms, job)
    host_ms = _host_ms(prepared)
    job.check()
    samples, source, notes = _sample(prepared, between, cache, estimate_ms, budget_ms, counted)
    _last_busy_s = time.monotonic()
    prepared.restore()
    return Measurement(
        launch=prepared.launch.info.index,
        config=prepared.config,
        samples_ms=tuple(samples),
        source=source,
        cache=cache,
        bytes_requested=counted.bytes_requested if counted else None,
        bytes_unique=counted.bytes_unique if counted else None,
        flops=counted.flops if counted else None,
        host_ms=host_ms,
        before=before_state,
        after=clock_state(),
        notes=notes,
    )


def reads_what_it_writes(counted: Coverage | None) -> bool:
    """Tell whether some tensor is both loaded and stored: a second launch is then another."""
    return counted is not None and any(
        tensor.loads.total and tensor.stores.total for tensor in counted.tensors
    )


@lru_cache(maxsize=8)
def copy_ceiling_gbps(device: int = 0) -> float:
    """Return the measured device-to-device copy rate in GB/s, bytes read plus written.

    The median of ten copies of 1 GiB (less where memory is short), each over a graph-free event
    pair: at hundreds of µs a copy the launch gap is under 1 %.
    """
    with torch.cuda.device(device):
        free_bytes, _ = torch.cuda.mem_get_info()
        size = min(1 << 30, free_bytes // 4)
        source = torch.empty(size, dtype=torch.uint8, device="cuda").random_()
        target = torch.empty_like(source)
        samples = events.sample(lambda: target.copy_(source), None, 13)[3:]
        return 2 * size / (median(samples) * 1e6)


def _interpreted(prepared: PreparedReplay, budget_ms: float, job: Job) -> Measurement:
    samples: list[float] = []
    spent_ms = 0.0
    while not samples or (spent_ms + spent_ms / len(samples) < budget_ms and len(samples) < 50):
        prepared.restore()
        start = time.perf_counter()
        prepared.run()
        samples.append((time.perf_counter() - start) * 1e3)
        spent_ms += samples[-1]
        job.check()
    prepared.restore()
    return Measurement(
        launch=prepared.launch.info.index,
        config=prepared.config,
        samples_ms=tuple(samples),
        source="interpreter",
        cache="none",
        notes=("wall time of Triton's interpreter on the CPU; it says nothing about a GPU",),
    )


def _estimate_ms(prepared: PreparedReplay) -> float:
    samples = events.sample(prepared.run, None, 3)
    return max(min(samples), 1e-3)


def _between_samples(
    prepared: PreparedReplay, cache: CacheMode, counted: Coverage | None
) -> Callable[[], None] | None:
    steps: list[Callable[[], object]] = []
    if reads_what_it_writes(counted):
        steps.append(prepared.restore)
    if cache == "cold":
        scratch = _eviction_buffer(torch.cuda.current_device())
        steps.append(scratch.zero_)
    if not steps:
        return None

    def between() -> None:
        for step in steps:
            step()

    return between


@lru_cache(maxsize=8)
def _eviction_buffer(device: int) -> torch.Tensor:
    # Twice the L2 and at least 64 MB: writing it leaves nothing of the kernel's data behind.
    l2_bytes = torch.cuda.get_device_properties(device).L2_cache_size
    return torch.empty(max(2 * l2_bytes, 64 << 20), dtype=torch.uint8, device=f"cuda:{device}")


def _warm_up(
    prepared: PreparedReplay, between: Callable[[], None] | None, estimate_ms: float, job: Job
) -> None:
    job.progress("warming up the GPU")
    end = time.monotonic() + WARM_UP_MS / 1e3
    batch = max(1, min(50, int(10 / estimate_ms)))
    while time.monotonic() < end:
        for _ in range(batch):
            if between is not None:
                between()
            prepared.run()
        torch.cuda.synchronize()


def _host_ms(prepared: PreparedReplay) -> float:
    # Few enough that the launch queue never fills: past that point the GPU would be timed instead.
    times: list[float] = []
    torch.cuda.synchronize()
    for _ in range(11):
        start = time.perf_counter()
        prepared.run()
        times.append((time.perf_counter() - start) * 1e3)
    torch.cuda.synchronize()
    return median(times)


def _sample(
    prepared: PreparedReplay,
    between: Callable[[], None] | None,
    cache: CacheMode,
    estimate_ms: float,
    budget_ms: float,
    counted: Coverage | None,
) -> tuple[list[float], ClockSource, tuple[str, ...]]:
    between_ms = 0.0
    if between is not None:
        between_ms = min(events.sample(between, None, 3))
    wanted = int(budget_ms / (estimate_ms + between_ms))
    count = min(max(wanted, MINIMUM_SAMPLES), MAXIMUM_SAMPLES)
    try:
        kernel = prepared.launch.info.kernel
        samples = cupti.sample(prepared.run, between, count + DROPPED, kernel)
        return samples[DROPPED:], "cupti", ()
    except (cupti.NoRecordsError, RuntimeError) as error:
        if is_fatal(error):
            raise
        notes: tuple[str, ...] = (f"CUPTI gave no records ({error})",)
    if estimate_ms >= EVENTS_FROM_MS or reads_what_it_writes(counted):
        return events.sample(prepared.run, between, count + DROPPED)[DROPPED:], "events", notes
    sets = _rotation(prepared, cache)
    if cache == "cold" and len(sets) == MOST_SETS:
        notes = (*notes, "the rotating buffers are too small to leave the L2: not quite cold")
    calls = max(len(sets), min(200, int(2 / estimate_ms)))
    replays = max(MINIMUM_SAMPLES, min(200, int(budget_ms / (calls * estimate_ms))))
    return graph.sample([item.run for item in sets], calls, replays), "graph", notes


def _rotation(prepared: PreparedReplay, cache: CacheMode) -> list[PreparedReplay]:
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
