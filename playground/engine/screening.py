"""Timing a config of a sweep shortly: enough to rank it, and no more than its chances deserve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from playground.engine import sampling, timing
from playground.engine.arguments import tensors_in
from playground.engine.clocks import choice, events
from playground.engine.clocks.nvml import clock_state
from playground.engine.clocks.work import Work
from playground.engine.replay import put_back_after
from playground.model.screening import (
    FEWEST_SAMPLES,
    MOST_SAMPLES,
    is_hopeless,
    is_known_well_enough,
)

if TYPE_CHECKING:
    from playground.engine.bench_messages import Try
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.session import Session
    from playground.model.measurement import ClockSource, ClockState


@dataclass
class Screened:
    """Samples in ms, their clock, and whether they end early because the config is hopeless."""

    times_ms: list[float] = field(default_factory=list)
    source: ClockSource = "events"
    hopeless: bool = False
    clocks: ClockState | None = None
    notes: tuple[str, ...] = ()


def screened(session: Session, launch: int, order: Try, job: Job) -> Screened:
    """Return samples of a config that was found right: `order.budget_ms` of kernel time at most.

    From 50 µs up event pairs are read in growing portions (a CUPTI session costs 10 to 20 ms, which
    is more than such a config gets); shorter kernels are sampled as everywhere else.
    """
    with session.guarded(job), put_back_after(session.prepare(launch, order.config)) as prepared:
        work = sampling.work_of(prepared, order.cache, restores := must_restore(prepared))
        prepared.run()
        estimate_ms = max(min(events.sample(Work(work.launch), 3)), 1e-3)
        timing.warm_up(work, estimate_ms, job)
        if estimate_ms >= sampling.EVENTS_FROM_MS and choice.asked() is None:
            found = _by_events(work, estimate_ms, order, job)
        else:
            drawn = sampling.draw(
                prepared, work, order.cache, estimate_ms, order.budget_ms, job, restores
            )
            found = Screened(drawn.times_ms, drawn.source, notes=drawn.notes)
            found.hopeless = is_hopeless(found.times_ms, order.best_ms)
        found.clocks = clock_state()
        timing.stay_busy()
        return found


def _by_events(work: Work, estimate_ms: float, order: Try, job: Job) -> Screened:
    found = Screened()
    most = min(max(int(order.budget_ms / estimate_ms), FEWEST_SAMPLES), MOST_SAMPLES)
    portion, dropped = FEWEST_SAMPLES, sampling.DROPPED
    while len(found.times_ms) < most:
        count = min(portion, most - len(found.times_ms))
        found.times_ms += events.sample(work, count + dropped)[dropped:]
        portion, dropped = 2 * portion, 0
        if is_hopeless(found.times_ms, order.best_ms):
            found.hopeless = True
            break
        if is_known_well_enough(found.times_ms, order.best_ms):
            break
        job.check()
    return found


def must_restore(prepared: PreparedReplay) -> bool:
    """Tell whether a second launch on what the first left would be a different one.

    Known without counting: a launch that was found right although all it writes began as the
    pattern of uninitialised memory (NaN) has read none of it.
    """
    snapshot = prepared.launch.snapshot
    if prepared.in_place or prepared.reshaped:
        return True
    for name in prepared.written:
        for tensor in tensors_in(prepared.launch.arguments[name]):
            before = snapshot.before(tensor)
            if not _is_uninitialised(before):
                return True
    return False


def _is_uninitialised(tensor: torch.Tensor) -> bool:
    if tensor.numel() == 0:
        return True
    if tensor.is_floating_point():
        # Torch answers few questions about 8-bit floats themselves.
        wide = tensor.float() if tensor.element_size() == 1 else tensor
        return bool(wide.isnan().all())
    raw = tensor.contiguous().view(torch.uint8)
    return bool((raw == 0x7F).all())
