"""Requests about the programs of a launch, done with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.protocol import programs as messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.protocol.messages import Reply


def _schedule(session: Any, request: messages.GetSchedule, job: Job) -> Reply:
    # The window keeps what it has: it asks for another one.
    return session.schedule(  # type: ignore[no-any-return]
        request.launch, request.config, job, again=True
    )


def _steps(session: Any, request: messages.GetSteps, job: Job) -> Reply:
    return session.steps(  # type: ignore[no-any-return]
        request.launch, request.config, request.program, job
    )


def _reuse(session: Any, request: messages.GetReuse, job: Job) -> Reply:
    return messages.Reused(session.reuse(request.launch, request.config, request.target, job))


def _save_counts(session: Any, request: messages.SaveCounts, job: Job) -> Reply:
    try:
        session.save_counts(
            request.path, request.launch, request.config, job, schedule=request.schedule
        )
    except OSError as error:
        return messages.CountsSaved(request.path, error.strerror or str(error))
    return messages.CountsSaved(request.path)


JOBS: dict[type, Callable[[Any, Any, Job], Reply | None]] = {
    messages.GetSchedule: _schedule,
    messages.GetSteps: _steps,
    messages.GetReuse: _reuse,
    messages.SaveCounts: _save_counts,
}
