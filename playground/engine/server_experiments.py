"""Requests about experiments, done with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.protocol import experiments as messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.protocol.messages import Reply


def _measure(session: Any, request: messages.MeasureExperiment, job: Job) -> Reply:
    return messages.ExperimentMeasured(session.experiment(request.name, job))


JOBS: dict[type, Callable[[Any, Any, Job], Reply | None]] = {messages.MeasureExperiment: _measure}
