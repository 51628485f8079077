"""Running an experiment in a fresh process of its own, and keeping what it found.

The process is a module above the engine; the engine knows its name alone.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from playground.engine.child_process import ChildProcess
from playground.model.experiment import ExperimentResult
from playground.model.experiments import named
from playground.protocol import experiment_files

if TYPE_CHECKING:
    from playground.engine.job import Job
    from playground.model.device import DeviceInfo

WORKER = "playground.experiments.worker"
LIMIT_S = 120.0
"""An experiment that takes longer than this is broken, and is ended."""
_POLL_S = 0.1


class ExperimentError(RuntimeError):
    """An experiment could not be measured; the message says why, `hint` what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def measure(name: str, device: DeviceInfo, job: Job, worker: str = WORKER) -> ExperimentResult:
    """Measure an experiment on this machine's GPU and keep its result.

    Raises
    ------
    KeyError
        There is no experiment of that name.
    ExperimentError
        There is no GPU, or the measurement failed.
    CancelledError
        The job was cancelled; the process is ended.
    """
    experiment = named(name)
    if device.mode != "gpu":
        raise ExperimentError(
            "there is no GPU here to measure", "the figures that come with the program are shown"
        )
    job.progress(f"measuring: {experiment.title}")
    process = ChildProcess(worker, dict(os.environ))
    try:
        process.send_object(name)
        end = time.monotonic() + LIMIT_S
        while not process.connection.poll(_POLL_S):
            job.check()
            if time.monotonic() > end:
                raise ExperimentError(f"{name} has no result after {LIMIT_S:g} s")
        answer = process.receive_object()
    except (EOFError, OSError) as error:
        how, printed = process.death()
        last = printed.strip().splitlines()[-1:] or [""]
        raise ExperimentError(f"the process of {name} died ({how}): {last[0]}") from error
    finally:
        process.close()
    if not isinstance(answer, ExperimentResult):
        raise ExperimentError(f"{name} failed: {answer}")
    experiment_files.keep(answer)
    return answer
