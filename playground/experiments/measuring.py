"""Which function measures which experiment, and a run of one."""

from __future__ import annotations

import datetime
import time
from typing import TYPE_CHECKING

import torch
import triton

from playground.experiments import elementwise, host, memory, products
from playground.model.experiment import ExperimentResult, Figures, Machine
from playground.model.experiments import named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playground.engine.job import Job
    from playground.experiments.bench import Bench

MEASUREMENTS: Mapping[str, Callable[[Bench], Figures]] = {
    "compile-time": host.compile_time,
    "block-size": elementwise.block_size,
    "grid-size": elementwise.grid_size,
    "hints": memory.hints,
    "persistent": products.persistent,
    "tma": memory.tma,
    "num-stages": products.num_stages,
    "libraries": products.libraries,
    "zero-copy": host.zero_copy,
    "fixed-config": host.fixed_config,
}


class NoGpuError(RuntimeError):
    """There is no GPU here, and an experiment measures one."""


def run(name: str, job: Job | None = None) -> ExperimentResult:
    """Measure one experiment on this machine's GPU.

    Raises
    ------
    KeyError
        There is no experiment of that name.
    NoGpuError
        There is no NVIDIA GPU.
    """
    experiment = named(name)
    if not torch.cuda.is_available():
        raise NoGpuError("an experiment measures an NVIDIA GPU, and there is none here")
    from playground.engine import machine
    from playground.experiments.bench import GpuBench

    machine.prepare_environment()
    started = time.perf_counter()
    bench = GpuBench(job)
    figures = MEASUREMENTS[name](bench)
    return ExperimentResult(
        name=name,
        version=experiment.version,
        figures=figures,
        machine=_this_machine(bench),
        measured=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        elapsed_s=time.perf_counter() - started,
    )


def _this_machine(bench: Bench) -> Machine:
    from playground.engine import machine

    device = machine.device_info()
    return Machine(
        gpu=torch.cuda.get_device_name(),
        multiprocessors=bench.multiprocessors,
        copy_gbps=bench.copy_gbps,
        driver=device.driver or "",
        torch=str(torch.__version__),
        triton=triton.__version__,
    )
