"""Requests about what the compiler made of a launch, done with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.protocol import compiler as messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.protocol.messages import Reply


def _code(session: Any, request: messages.GetCode, job: Job) -> Reply:
    return messages.Code(session.code(request.launch, request.config, request.target, job))


JOBS: dict[type, Callable[[Any, Any, Job], Reply | None]] = {
    messages.GetCode: _code,
}
"""What does each request."""
