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


class Measuring:
    """The process that measures, started with the first experiment and kept for the next ones.

    Close it, or use it in a `with`: the process holds a CUDA context.
    """

    def __init__(self, worker: str = WORKER) -> None:
        self._worker = worker
        self._process: ChildProcess | None = None

    def __enter__(self) -> Measuring:
        return self

    def __exit__(self, *_what: object) -> None:
        self.close()

    def process(self) -> ChildProcess:
        """Return the process, a new one where there is none alive."""
        if self._process is None or not self._process.alive:
            self.close()
            self._process = ChildProcess(self._worker, dict(os.environ))
        return self._process

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
            self._process = None


def measure(
    name: str, device: DeviceInfo, job: Job, measuring: Measuring | None = None
) -> ExperimentResult:
    """Measure an experiment on this machine's GPU and keep its result.

    Parameters
    ----------
    measuring
        The process of earlier experiments; one of its own when left out.

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
    own = measuring or Measuring()
    process = own.process()
    kept = False
    try:
        process.send_object(name)
        end = time.monotonic() + LIMIT_S
        while not process.connection.poll(_POLL_S):
            job.check()
            if time.monotonic() > end:
                raise ExperimentError(f"{name} has no result after {LIMIT_S:g} s")
        answer = process.receive_object()
        kept = measuring is not None
    except (EOFError, OSError) as error:
        how, printed = process.death()
        last = printed.strip().splitlines()[-1:] or [""]
        raise ExperimentError(f"the process of {name} died ({how}): {last[0]}") from error
    finally:
        if not kept:  # whatever it does now, nobody waits for it
            own.close()
    if not isinstance(answer, ExperimentResult):
        raise ExperimentError(f"{name} failed: {answer}")
    experiment_files.keep(answer)
    return answer
