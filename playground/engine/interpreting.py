"""The session's end of Triton's interpreter: starting it, and stopping what runs in it."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.job import Job
    from playground.engine.session import Session

_TOLD_EVERY_S = 0.5


class EngineModeError(RuntimeError):
    """Triton was imported in a mode that this machine cannot run."""


@contextlib.contextmanager
def in_mode(session: Session) -> Iterator[None]:
    """Keep this process in the mode of the session's device, whatever the user's file says.

    Raises
    ------
    EngineModeError
        Triton was imported before `TRITON_INTERPRET=1` was set.
    """
    from playground.engine.triton_private import settings

    with contextlib.ExitStack() as stack:
        interpret = session.device.mode == "interpreter"
        if interpret:
            stack.enter_context(_interpreting(session))
        stack.callback(settings.hold_mode, settings.hold_mode(interpret))
        yield


@contextlib.contextmanager
def _interpreting(session: Session) -> Iterator[None]:
    """Make this process interpret kernels, with a stand-in for Triton's driver.

    Raises
    ------
    EngineModeError
        Triton was imported before `TRITON_INTERPRET=1` was set.
    """
    import triton

    if not triton.knobs.runtime.interpret:
        raise EngineModeError(
            "there is no GPU here, so kernels must run in Triton's interpreter, and Triton was "
            "imported without it: set TRITON_INTERPRET=1 in the environment before Python "
            "imports triton (import playground first, or start with `triton-playground`)"
        )
    from playground.engine.triton_private import interpreter, stub_driver

    interpreter.install()
    # A session within another one (a file compared with, a size of a sweep) gives it back.
    before = interpreter.set_compiled_lookup(session.compiled_figures)
    stub_driver.activate_stub(session.device.target)
    try:
        yield
    finally:
        interpreter.set_compiled_lookup(before)


def take_over(session: Session) -> None:
    """Let launches of this process be compiled for `session` from now on, where they are asked."""
    if session.device.mode == "interpreter":
        from playground.engine.triton_private import interpreter

        interpreter.set_compiled_lookup(session.compiled_figures)


@contextlib.contextmanager
def watched(job: Job) -> Iterator[None]:
    """Let `job` be cancelled inside an interpreted launch, and tell how far that is."""
    from playground.engine.triton_private import interpreter

    told_s = time.monotonic()

    def look(program: int, programs: int) -> None:
        nonlocal told_s
        job.check()
        if time.monotonic() - told_s > _TOLD_EVERY_S:
            told_s = time.monotonic()
            job.progress(f"program {program} of {programs}", program / max(programs, 1))

    interpreter.set_check(look)
    try:
        yield
    finally:
        interpreter.set_check(None)
