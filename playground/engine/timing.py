"""Measuring one config: warm up, sample within a budget, keep every sample.

A sample is kernel time only: restoring inputs and evicting the L2 happen between samples, and what
the host pays for a launch is measured apart (`host_ms`).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import torch

from playground.engine import sampling
from playground.engine.clocks import events
from playground.engine.clocks.nvml import clock_state
from playground.engine.clocks.work import Work
from playground.engine.triton_private import wrappers
from playground.model.measurement import CacheMode, Measurement
from playground.model.statistics import median

if TYPE_CHECKING:
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.model.coverage import Coverage

WARM_UP_MS = 200.0
"""Busy time before the first sample after a pause: the SM clock needs it to settle."""
IDLE_S = 1.0
TRIES = 3
"""How often a measurement is made when its times drifted (the clocks moved)."""
LONG_MS = 80.0
"""Budget from which a measurement is made again rather than only flagged: a slider cannot wait."""

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
    prepared.restore()
    prepared.run()
    torch.cuda.synchronize()
    restores = sampling.reads_what_it_writes(counted)
    work = sampling.work_of(prepared, cache, restores)
    estimate_ms = max(min(events.sample(Work(work.launch), 3)), 1e-3)
    warm_up(work, estimate_ms, job)
    host_ms = _host_ms(prepared)
    job.check()
    before = clock_state()
    for attempt in range(TRIES):
        samples = sampling.draw(prepared, work, cache, estimate_ms, budget_ms, job, restores)
        if not sampling.drifted(samples.times_ms):
            break
        if attempt == TRIES - 1 or budget_ms < LONG_MS:
            samples.notes = (*samples.notes, "the times drifted while sampling")
            break
    after = clock_state()
    stay_busy()
    prepared.restore()
    return Measurement(
        launch=prepared.launch.info.index,
        config=prepared.config,
        samples_ms=tuple(samples.times_ms),
        source=samples.source,
        cache=cache,
        bytes_requested=counted.bytes_requested if counted else None,
        bytes_unique=counted.bytes_unique if counted else None,
        flops=counted.flops if counted else None,
        host_ms=host_ms,
        before=before,
        after=after,
        budget_ms=budget_ms,
        stopped=samples.stopped,
        notes=samples.notes,
    )


def warm_up(work: Work, estimate_ms: float, job: Job) -> None:
    """Keep the GPU busy until its clocks are settled, if it was idle."""
    if time.monotonic() - _last_busy_s <= IDLE_S:
        return
    job.progress("warming up the GPU")
    end = time.monotonic() + WARM_UP_MS / 1e3
    batch = max(1, min(50, int(10 / estimate_ms)))
    while time.monotonic() < end:
        for _ in range(batch):
            work.perform()
        torch.cuda.synchronize()


def stay_busy() -> None:
    """Note that the GPU was busy until now."""
    global _last_busy_s
    _last_busy_s = time.monotonic()


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
