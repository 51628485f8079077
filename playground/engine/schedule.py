"""Where and when each program of a launch runs, measured on the GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from playground.engine.comparing import NotTimedError
from playground.engine.job import Job
from playground.engine.schedule_figures import figures
from playground.model.occupancy import occupancy
from playground.model.targets import facts_for
from playground.protocol.programs import Scheduled

if TYPE_CHECKING:
    from playground.engine.replay import PreparedReplay
    from playground.engine.triton_private.stamped_runs import Stamps
    from playground.model.compiling import CompileReport
    from playground.model.device import DeviceInfo

WARM_UPS = 2
RUNS = 5
"""The fastest of these is kept: what slows a run down is not the kernel's."""

ROUGH_STEPS = 8
"""Programs that take fewer steps of the timer than this are told to be timed roughly."""

_REMEDY = (
    "look at it on a machine with an NVIDIA GPU; which elements each program touches is counted "
    "here too"
)


class NotScheduledError(NotTimedError):
    """Where and when the programs of a launch run cannot be told; the message says why."""


def schedule(
    prepared: PreparedReplay,
    device: DeviceInfo,
    report: CompileReport | None,
    job: Job | None = None,
) -> Scheduled:
    """Run a copy of the kernel that notes where and when each program runs, and return that.

    The copy differs from the kernel by two stamps a program. Inputs are restored before each of
    its runs, and the working copies of `prepared` hold the last one's result afterwards.

    Parameters
    ----------
    prepared
        The launch under its config.
    device
        The machine.
    report
        What compiling the kernel itself gave, for the theoretical number of resident programs.

    Raises
    ------
    NotScheduledError
        There is no NVIDIA GPU, or the grid is empty.
    """
    from playground.engine.triton_private import wrappers

    if device.mode != "gpu" or wrappers.is_interpreted(prepared.launch.function):
        raise NotScheduledError("the schedule of programs needs an NVIDIA GPU", _REMEDY)
    if not device.target.startswith("cuda"):
        raise NotScheduledError(
            f"the schedule of programs needs an NVIDIA GPU: {device.name} has no timer that all "
            "its programs read",
            _REMEDY,
        )
    if 0 in prepared.grid:
        raise NotScheduledError(
            f"the grid of {prepared.launch.info.kernel} is empty: no program runs"
        )
    from playground.engine.triton_private.stamped_runs import fastest

    stamps = fastest(prepared, job or Job(), warm_ups=WARM_UPS, runs=RUNS)
    first = stamps.start_ns.min()
    found = figures(
        stamps.multiprocessor,
        stamps.start_ns,
        stamps.end_ns,
        launch=prepared.launch.info.index,
        config=prepared.config,
        grid=prepared.grid,
        multiprocessors=device.multiprocessors or int(stamps.multiprocessor.max()) + 1,
        resident_theoretical=(
            report.occupancy.programs_per_sm if report and report.occupancy else None
        ),
        notes=_notes(prepared, device, report, stamps),
    )
    if found.median_ns < ROUGH_STEPS * found.resolution_ns:
        rough = (
            f"the timer steps by {found.resolution_ns} ns and half of the programs take at most "
            f"{found.median_ns} ns: their single times are rough"
        )
        found = replace(found, notes=(*found.notes, rough))
    return Scheduled(
        figures=found,
        multiprocessor=stamps.multiprocessor.astype(np.int32),
        start_ns=stamps.start_ns - first,
        end_ns=stamps.end_ns - first,
    )


def _notes(
    prepared: PreparedReplay, device: DeviceInfo, report: CompileReport | None, stamps: Stamps
) -> tuple[str, ...]:
    notes = []
    x, y, z = prepared.grid
    if x * y * z > len(stamps.start_ns):
        notes.append(
            f"the first {len(stamps.start_ns):,} of {x * y * z:,} programs: figures are of these"
        )
    clusters = int(prepared.options.get("num_ctas") or 1)
    if clusters > 1:
        notes.append(
            f"each program is a cluster of {clusters} blocks; shown is where its first one ran"
        )
    gpu = facts_for(device.target, device.name)
    if gpu is not None and report is not None and report.occupancy is not None:
        held = occupancy(
            gpu,
            threads=report.threads,
            registers=stamps.registers,
            shared_bytes=stamps.shared_bytes + (report.static_shared_bytes or 0),
        ).programs_per_sm
        if held < report.occupancy.programs_per_sm:
            notes.append(
                f"the copy that notes the times takes {stamps.registers} registers a thread, so "
                f"only {held} of its programs fit on a multiprocessor, not "
                f"{report.occupancy.programs_per_sm}"
            )
    return tuple(notes)
