"""One config of a sweep: run, checked quickly, timed shortly; what fails becomes its reason."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from playground.engine.bench_messages import Tried
from playground.engine.job import CancelledError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.bench_messages import Try
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.finding import Finding
    from playground.model.sweep import SweepStatus


def tried(
    session: Session, launch: int, order: Try, job: Job,
    make_room: Callable[[], bool] = lambda: False,
) -> Tried:  # fmt: skip
    """Return what came of a config; its failure is its own.

    Parameters
    ----------
    make_room
        Gives back memory that is held for later, where there is too little; tells whether any was.

    Raises
    ------
    CancelledError
        The job was cancelled.
    """
    found, memory_ran_out = _once(session, launch, order, job)
    # The error, and with it every tensor of its frames, is gone by now.
    if memory_ran_out and make_room():
        found, _ = _once(session, launch, order, job)
    return found


def _once(session: Session, launch: int, order: Try, job: Job) -> tuple[Tried, bool]:
    """Return what came of a config, and whether the GPU's memory was too small for it."""
    started = time.perf_counter()
    try:
        status, reason = _checked(session, launch, order, job)
        check_s = time.perf_counter() - started
        if status == "wrong" or session.device.mode != "gpu":
            return Tried(status, reason, check_s=check_s), False
        from playground.engine import screening

        samples = screening.screened(session, launch, order, job)
        found = Tried(
            status, reason, tuple(samples.times_ms), samples.source, samples.hopeless,
            clocks=samples.clocks, check_s=check_s, notes=samples.notes,
            screen_s=time.perf_counter() - started - check_s,
        )  # fmt: skip
        return found, False
    except (CancelledError, KeyboardInterrupt):
        raise
    except Exception as error:
        finding = session.finding(error, "sweep")
        memory_ran_out = type(error).__name__ == "OutOfMemoryError"
        out_of_room = memory_ran_out or type(error).__name__ == "OutOfResources"
        found = Tried(
            "resources" if out_of_room else "runtime", finding.message,
            fatal=session.is_fatal(error), check_s=time.perf_counter() - started,
        )  # fmt: skip
        return found, memory_ran_out


def _checked(session: Session, launch: int, order: Try, job: Job) -> tuple[SweepStatus, str]:
    if session.device.mode == "gpu" and not order.thorough:
        from playground.engine import quick_check

        if quick_check.is_right(session, launch, order.config, job):
            return "correct", ""
    checked = session.judge(launch, order.config, job)
    errors = _errors(checked.findings)
    if checked.result.status == "correct" and errors:
        return "wrong", errors[0].message  # right where it should write, and writes elsewhere too
    return checked.result.status, "" if checked.result.status == "correct" else (
        checked.result.text()
    )


def _errors(findings: tuple[Finding, ...]) -> list[Finding]:
    return [item for item in findings if item.severity == "error" and item.stage == "check"]
