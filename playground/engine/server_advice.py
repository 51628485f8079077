"""Requests for advice, done with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.protocol import advice as messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.protocol.messages import Reply


def _advice(session: Any, request: messages.GetAdvice, job: Job) -> Reply:
    return messages.Advised(session.advise(request.launch, request.config, request.target, job))


def _try(session: Any, request: messages.TryAdvice, job: Job) -> Reply:
    result = session.try_advice(
        request.attempt, request.launch, request.config, request.cache, request.budget_ms, job
    )
    return messages.TriedAdvice(request.launch, request.config, result)


JOBS: dict[type, Callable[[Any, Any, Job], Reply | None]] = {
    messages.GetAdvice: _advice,
    messages.TryAdvice: _try,
}
