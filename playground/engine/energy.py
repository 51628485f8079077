"""Energy of a launch: the GPU's own counter over at least a second of nothing else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import torch

from playground.engine.clocks.nvml import energy_mj
from playground.model.measurement import Energy

if TYPE_CHECKING:
    from playground.engine.clocks.work import Work
    from playground.engine.job import Job

LEAST_S = 1.0
"""The counter is renewed every 20 to 100 ms: over a second that is a few per cent at most."""


class NoEnergyError(RuntimeError):
    """No energy counter: this GPU, or its driver, has none."""


def measure(work: Work, estimate_ms: float, job: Job) -> Energy:
    """Return the energy of one launch in joules, from running it for a second or more.

    What the GPU draws while idle is part of it, as it is part of the bill.

    Raises
    ------
    NoEnergyError
        NVML gives no energy for this GPU.
    """
    batch = max(1, min(500, int(20 / max(estimate_ms, 1e-3))))
    for _ in range(batch):
        work.launch()
    torch.cuda.synchronize()
    before = energy_mj()
    if before is None:
        raise NoEnergyError("NVML gives no energy counter for this GPU")
    start, launches = time.perf_counter(), 0
    while time.perf_counter() - start < LEAST_S:
        for _ in range(batch):
            work.launch()
        torch.cuda.synchronize()
        launches += batch
        job.check()
    elapsed_s = time.perf_counter() - start
    after = energy_mj()
    if after is None:
        raise NoEnergyError("NVML stopped giving energy")
    joules = (after - before) / 1e3
    return Energy(joules / launches, joules / elapsed_s, launches, elapsed_s)
