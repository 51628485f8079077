"""Messages about experiments."""

from __future__ import annotations

from dataclasses import dataclass

from playground.model.experiment import ExperimentResult


@dataclass(frozen=True)
class MeasureExperiment:
    """Measure an experiment on this machine's GPU, in a process of its own, and keep the result."""

    name: str


@dataclass(frozen=True)
class ExperimentMeasured:
    """The result of an experiment, which is kept already."""

    result: ExperimentResult
