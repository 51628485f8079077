"""Requests about what the compiler made of a launch, done with a session.

What takes compiled code apart is done beside the session's thread: the next tick of a slider does
not wait for the disassembler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.engine.job import Later
from playground.protocol import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.protocol.messages import Reply


def _ir(session: Any, request: messages.GetIr, job: Job) -> Later:
    captured = session.launches[request.launch]
    return Later(
        session.compiler.ir_reader(captured, request.config, request.stage, request.target, job)
    )


def _code(session: Any, request: messages.GetCode, job: Job) -> Later:
    read = session.code_reader(request.launch, request.config, request.target, job)
    return Later(lambda: messages.Code(read()))


def _passes(session: Any, request: messages.GetPasses, job: Job) -> Reply:
    return session.passes(  # type: ignore[no-any-return]
        request.launch, request.config, request.target, job, llvm=request.llvm
    )


def _compare(session: Any, request: messages.CompareCompilations, job: Job) -> Later:
    return Later(session.comparison_reader(request.launch, request.left, request.right, job))


def _stage_diff(session: Any, request: messages.GetStageDiff, job: Job) -> Later:
    return Later(
        session.stage_diff_reader(request.launch, request.left, request.right, request.stage, job)
    )


def _compile_all(session: Any, request: messages.CompileAll, job: Job) -> Reply:
    fits = session.compile_all(request.launch, request.config, request.targets, job)
    return messages.FittedAll(request.launch, request.config, fits)


def _edited(session: Any, request: messages.CompileEdited, job: Job) -> Reply | Later:
    if not 0 <= request.launch < len(session.launches):
        return messages.Edited(request.text, None)  # the last run failed before it
    return session.edited.later(session, request, job)  # type: ignore[no-any-return]


JOBS: dict[type, Callable[[Any, Any, Job], Reply | Later | None]] = {
    messages.GetIr: _ir,
    messages.GetCode: _code,
    messages.GetPasses: _passes,
    messages.CompareCompilations: _compare,
    messages.GetStageDiff: _stage_diff,
    messages.CompileAll: _compile_all,
    messages.CompileEdited: _edited,
}
"""What does each request."""
