"""The verb of a session that puts a rule of thumb to the test on this GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.experiment import ExperimentResult


class ExperimentVerbs:
    """What a session knows of experiments; a part of `Session`, in a file of its own."""

    def experiment(self, name: str, job: Job | None = None) -> ExperimentResult:
        """Measure a rule of thumb (`tma`, `num-stages`, ...) here, keep and return what was found.

        `playground.model.experiments.verdict` says what the figures mean.

        Raises
        ------
        KeyError
            There is no experiment of that name.
        experiments.ExperimentError
            There is no GPU, or the measurement failed.
        """
        from playground.engine import experiments
        from playground.engine.job import Job

        return experiments.measure(name, cast("Session", self).device, job or Job())
