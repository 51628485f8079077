"""Requests about debugging, done with a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.engine.job import Later
from playground.protocol import debugging as messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.debug_process import Stepping
    from playground.engine.job import Job
    from playground.protocol.messages import Reply

_WAIT_S = 0.1


def _prepare(session: Any, _request: messages.PrepareDebugger, _job: Job) -> None:
    session.prestart_debugger()


def _debug(session: Any, request: messages.Debug, job: Job) -> Later:
    from playground.engine.debug_messages import Begin

    begin = Begin(
        request.program, request.breakpoints, request.watches, request.shown,
        request.stop_at_entry,
    )  # fmt: skip
    start = session.stepping(request.launch, request.config, begin)
    return Later(lambda: _follow(start(job), job))


def _follow(stepping: Stepping, job: Job) -> messages.DebugEnded:
    """Hand commands in and events out until the program has ended; the engine is free meanwhile."""
    from playground.engine.debug_messages import Command

    def command(told: object) -> None:
        if isinstance(told, messages.DebugCommand):
            stepping.send(
                Command(told.verb, told.file, told.line, told.breakpoints, told.watches,
                        told.shown)
            )  # fmt: skip

    job.listen(command)
    try:
        while True:
            job.check()
            event = stepping.event(_WAIT_S)
            if isinstance(event, messages.DebugEnded):
                return event
            if isinstance(event, messages.DebugStopped | messages.DebugRunning):
                job.send(event)
    finally:
        stepping.close()


def _alone(session: Any, request: messages.RunAlone, job: Job) -> Reply:
    return session.alone(  # type: ignore[no-any-return]
        request.program, request.launch, request.config, request.mode, job
    )


def _prints(session: Any, request: messages.GetPrints, job: Job) -> Reply:
    return session.prints(  # type: ignore[no-any-return]
        request.launch, request.config, request.program, request.mode, job
    )


def _hunt(session: Any, request: messages.HuntNonFinite, job: Job) -> Reply:
    return session.hunt(  # type: ignore[no-any-return]
        request.launch, request.config, request.program, job
    )


def _compare(session: Any, request: messages.CompareElements, job: Job) -> Reply:
    return session.differences(  # type: ignore[no-any-return]
        request.against, request.launch, request.config, job
    )


JOBS: dict[type, Callable[[Any, Any, Job], Reply | Later | None]] = {
    messages.PrepareDebugger: _prepare,
    messages.Debug: _debug,
    messages.RunAlone: _alone,
    messages.GetPrints: _prints,
    messages.HuntNonFinite: _hunt,
    messages.CompareElements: _compare,
}
