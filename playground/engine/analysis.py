"""What is asked about a launch's time beyond its measurement: roof, host cost, energy, Nsight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.engine import sampling
from playground.engine.comparing import NotTimedError
from playground.engine.replay import put_back_after
from playground.model import roofline
from playground.model.targets import facts_for

if TYPE_CHECKING:
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.measurement import Energy, HostCost
    from playground.model.nsight import NsightReport
    from playground.model.roofline import Ceilings, Standing


def under_the_roof(
    session: Session, launch: int, config: Config, target: str | None, again: bool, job: Job
) -> tuple[Ceilings, Standing | None]:
    """Return the ceilings, measured here or expected of `target`, and where the launch stands.

    Raises
    ------
    NotTimedError
        There is no GPU, and nothing is known of the target's.
    """
    own = session.device.mode == "gpu" and target in (None, session.device.target)
    if own:
        from playground.engine.ceilings import ceilings

        with session.guarded(job):
            found = ceilings(job, again=again)
    else:
        wanted = target or session.device.target
        gpu = facts_for(wanted)
        if gpu is None:
            raise NotTimedError(f"nothing is known about the GPUs of {wanted}")
        found = roofline.expected(gpu)
    counted = session.coverage(launch, config, job)
    measurement = session.measured(launch, config) if own else None
    return found, roofline.standing(counted, found, measurement)


def host_cost(session: Session, launch: int, config: Config, job: Job) -> HostCost:
    """Return what a launch costs the host.

    Raises
    ------
    NotTimedError
        There is no GPU.
    """
    _needs_gpu(session)
    from playground.engine.triton_private import host_cost as measuring

    with session.guarded(job), put_back_after(session.prepare(launch, config)) as prepared:
        return measuring.measure(prepared)


def energy(session: Session, launch: int, config: Config, job: Job) -> Energy:
    """Return the energy of one launch.

    Raises
    ------
    NotTimedError
        There is no GPU, the result is wrong, or the launch changes what it reads.
    energy.NoEnergyError
        The GPU has no energy counter.
    """
    _needs_gpu(session)
    from playground.engine import energy as measuring

    counted = session.counted(launch, config, job)
    if sampling.reads_what_it_writes(counted):
        raise NotTimedError(
            f"the launch {'may change' if counted is None else 'changes'} what it reads: restoring "
            "its inputs between launches would use energy of its own, so none is told"
        )
    measurement = session.measured(launch, config)
    if measurement is None:
        measurement = session.measure(launch, config, 50.0, "warm", job)
    with session.guarded(job), put_back_after(session.prepare(launch, config)) as prepared:
        work = sampling.work_of(prepared, "warm", sampling.reads_what_it_writes(counted))
        return measuring.measure(work, measurement.median_ms, job)


def replay_options(session: Session, launch: int, config: Config) -> list[str]:
    """Return the command line's options that name this very launch under this config."""
    options = ["--launch", str(launch)]
    offered = session.outline.drivers
    if session.driver is not None and session.driver not in offered[:1]:
        options += ["--driver", session.driver.code]
    for name, value in session.sizes.items():
        options += ["--set", f"{name}={value}"]
    captured = session.launches[launch].info.config
    for name, chosen in config.values:
        if name not in captured or captured[name] != chosen:
            options += ["--set", f"{name}={'none' if chosen is None else chosen}"]
    return options


def replay_once(session: Session, launch: int, config: Config, job: Job) -> None:
    """Run a launch once inside the NVTX range that Nsight Compute is told to look at."""
    from playground.engine.nsight import RANGE

    with session.guarded(job), put_back_after(session.prepare(launch, config)) as prepared:
        prepared.run()  # compiles, and what else happens once
        prepared.restore()
        session.synchronize()
        if session.device.mode != "gpu":
            return
        import torch

        torch.cuda.nvtx.range_push(RANGE)
        prepared.run()
        session.synchronize()
        torch.cuda.nvtx.range_pop()


def nsight(session: Session, launch: int, config: Config, job: Job) -> NsightReport:
    """Return what Nsight Compute says of the launch, run on the file as it is saved.

    Raises
    ------
    nsight.NsightError
        It is missing, not allowed, or profiled nothing.
    """
    from playground.engine import nsight as profiler

    return profiler.profile(session.path, replay_options(session, launch, config), job)


def nsight_command(session: Session, launch: int, config: Config) -> str:
    """Return the command line that does the same by hand."""
    from playground.engine import nsight as profiler

    return profiler.copyable(session.path, replay_options(session, launch, config))


def _needs_gpu(session: Session) -> None:
    if session.device.mode != "gpu":
        raise NotTimedError("there is no GPU here: the interpreter's time says nothing about one")
