"""One run: the text executed in a fresh module, then the driver, every launch captured."""

from __future__ import annotations

import time
import types
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from playground.engine import (
    benchmarks,
    bound,
    capture,
    drivers,
    helper_modules,
    loading,
    nothing_launched,
    ragged,
    surroundings,
    user_frames,
)
from playground.engine.arguments import dtype_text
from playground.engine.findings import FatalError
from playground.engine.interpreter_findings import missing_results
from playground.engine.job import CancelledError
from playground.engine.launches import LaunchList
from playground.engine.poisoning import poisoned_memory
from playground.engine.randomness import random_state, seeded
from playground.engine.slips import slips_in
from playground.model.finding import Finding
from playground.protocol.messages import RunResult

if TYPE_CHECKING:
    from playground.engine.job import Job
    from playground.engine.session import Session

_LONGEST_VALUE = 2000
_PRINTED_ELEMENTS = 1000
"""Elements up to which torch prints all; beyond it summarises."""


def run(session: Session, job: Job) -> RunResult:
    """Run the session's text and driver; put launches, result and findings into the session.

    Raises
    ------
    FatalError
        What ran has made this process unusable.
    """
    started = time.perf_counter()
    if any(finding.severity == "error" for finding in session.outline.findings):
        session.findings = session.outline.findings
        return _result(session, started)
    job.progress(f"running {Path(session.path).name}")
    around = session.surroundings
    ragged.begin(session)
    recorder = capture.Capture(session.device.target, (session.path,), tuning=around.tuning)
    around.plan = benchmarks.Plan(lambda: len(recorder.launches))
    failures: list[Finding] = []
    # As unpredictable as a fresh process, yet known: an exported file can repeat the inputs.
    session.seed = seeded(session.wanted_seed)
    session.random_state = random_state()
    try:
        with (
            session.watched(job),
            surroundings.first_run(session, around),
            capture.capturing(recorder),
            poisoned_memory(host=session.device.mode != "gpu"),
        ):
            ended = _execute(session)
        if ended is not None:
            failures.append(ended)
    except CancelledError as error:
        session.stopped_by = error
        failures.append(session.finding(KeyboardInterrupt(), "driver"))
    except KeyboardInterrupt as error:
        session.stopped_by = error
        failures.append(session.finding(error, "driver"))
    except Exception as error:
        if session.is_fatal(error):
            raise FatalError(str(error)) from error
        session.stopped_by = error
        failures.append(missing_results(recorder.launches, session.finding(error, "driver")))
    finally:
        session.launches = LaunchList(recorder.launches)
    bound.mark_bound(session)
    session.findings = (*failures, *_findings(session, recorder, failures))
    return _result(session, started)


def cut_off(session: Session) -> RunResult:
    """Return the result of a run that was ended before or after the user's code: no launches."""
    session.findings = (session.finding(KeyboardInterrupt(), "driver"),)
    return _result(session, time.perf_counter())


def _execute(session: Session) -> Finding | None:
    """Run text and driver; return what is to be told of a script that ended itself."""
    driver = session.driver
    code = "" if driver is None else drivers.with_sizes(driver.code, session.sizes)
    script = not code.strip()
    module = types.ModuleType("__main__" if script else loading.module_name(session.path))
    session.namespace = module.__dict__
    with loading.script_arguments(session.path), drivers.without_hard_exits():
        try:
            loading.execute(module, session.path, session.text)
            if not script:
                session.random_state = random_state()  # what `reference` starts from, too
                with helper_modules.importing_helpers():
                    session.result = drivers.run_driver(code, session.namespace)
            session.synchronize()
        except SystemExit as stop:
            session.synchronize()
            if stop.code not in (None, 0):
                return _ended(session, stop)  # else a script that says it is done
        except BaseException as stop:
            if not drivers.is_skip(stop):
                raise
            place = user_frames.last_of(stop)
            reason = f"skipped itself: {stop}"
            session.surroundings.notes.skipped.append((reason, place))
    return None


def _ended(session: Session, stop: SystemExit) -> Finding:
    """Return the finding for a script that ended itself and said that something was wrong."""
    hint = ""
    walk = stop.__traceback__
    said = f"exit status {stop.code}" if isinstance(stop.code, int) else str(stop.code)
    while walk is not None:
        if "parser" in walk.tb_frame.f_locals.get("self", "").__class__.__name__.lower():
            if walk.tb_frame.f_code.co_name == "error":
                said = f"exit status {stop.code}: {walk.tb_frame.f_locals.get('message', '')}"
            hint = (
                "the script reads its command line, which is empty here: give its arguments "
                "defaults, or type a driver that calls its functions"
            )
        walk = walk.tb_next
    told = session.finding(stop, "driver")
    return replace(told, message=f"the driver ended itself: {said}", hint=hint, severity="warning")


def _findings(
    session: Session, recorder: capture.Capture, failures: list[Finding]
) -> list[Finding]:
    told = {finding.line for finding in failures}
    slips = slips_in(session.text, session.path)
    notes = session.surroundings.notes
    found = [*recorder.findings, *(slip for slip in slips if slip.line not in told)]
    if recorder.dropped:
        found.append(
            Finding(
                "hint",
                "capture",
                f"only the first {len(recorder.launches)} launches are kept; {recorder.dropped} "
                "more ran",
                "choose a driver that launches less",
            )
        )
    if not failures:
        found += nothing_launched.swallowed(session)
        if not recorder.launches:
            found.append(nothing_launched.finding(session, notes))
        found += ragged.offer(session)
    told_already = " ".join(finding.message for finding in failures)
    return [
        *found,
        *session.outline.findings,
        *(
            finding
            for finding in notes.findings
            # A module that is missing is told where it is used, if it is.
            if finding.message.partition(":")[0] not in told_already
        ),
    ]


def _shown(value: object) -> str:
    """Return a driver's value as text; a large tensor on a GPU by its shape and type.

    Its elements would be fetched by dozens of small operations, which take milliseconds; the
    console shows them when they are asked for.
    """
    if isinstance(value, torch.Tensor) and value.is_cuda and value.numel() > _PRINTED_ELEMENTS:
        shape = " x ".join(map(str, value.shape))
        return f"<tensor {shape} {dtype_text(value.dtype)} on {value.device}>"
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        inside = ", ".join(map(_shown, value))
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value)


def _result(session: Session, started: float) -> RunResult:
    session.user_files = helper_modules.user_files(session.path)
    value = "" if session.result is None else _shown(session.result)
    return RunResult(
        launches=tuple(launch.info for launch in session.launches),
        findings=session.findings,
        result=value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…",
        elapsed_ms=(time.perf_counter() - started) * 1e3,
        modified_files=session.user_files[1:],
    )
