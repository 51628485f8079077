"""One run: the text executed in a fresh module, then the driver, every launch captured."""

from __future__ import annotations

import contextlib
import os
import time
import types
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from playground.engine import capture, drivers, loading, snapshot
from playground.engine.findings import FatalError
from playground.engine.job import CancelledError
from playground.engine.launches import LaunchList
from playground.engine.randomness import random_state, seeded
from playground.engine.slips import slips_in
from playground.model.finding import Finding
from playground.protocol.messages import RunResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.job import Job
    from playground.engine.session import Session

_LONGEST_VALUE = 2000


def run(session: Session, job: Job) -> RunResult:
    """Run the session's text and driver; put launches, result and findings into the session.

    Raises
    ------
    FatalError
        What ran has made this process unusable.
    """
    started = time.perf_counter()
    if session.outline.findings:
        session.findings = session.outline.findings
        return _result(session, started)
    job.progress(f"running {Path(session.path).name}")
    recorder = capture.Capture(session.device.target, (session.path,))
    failures: list[Finding] = []
    # As unpredictable as a fresh process, yet known: an exported file can repeat the inputs.
    session.seed = seeded()
    session.random_state = random_state()
    try:
        with (
            session.watched(job),
            capture.capturing(recorder),
            snapshot.poisoned_memory(),
            _process_settings_kept(),
        ):
            ended = _execute(session)
        if ended is not None:
            failures.append(ended)
    except CancelledError:
        failures.append(session.finding(KeyboardInterrupt(), "driver"))
    except KeyboardInterrupt as error:
        failures.append(session.finding(error, "driver"))
    except Exception as error:
        if session.is_fatal(error):
            raise FatalError(str(error)) from error
        failures.append(session.finding(error, "driver"))
    finally:
        session.launches = LaunchList(recorder.launches)
    session.findings = (*failures, *_findings(session, recorder, failures))
    return _result(session, started)


def _execute(session: Session) -> Finding | None:
    """Run text and driver; return what is to be told of a script that ended itself."""
    driver = session.driver
    code = "" if driver is None else drivers.with_sizes(driver.code, session.sizes)
    script = not code.strip()
    module = types.ModuleType("__main__" if script else loading.module_name(session.path))
    session.namespace = module.__dict__
    with loading.script_arguments(session.path):
        try:
            loading.execute(module, session.path, session.text)
            if not script:
                session.random_state = random_state()  # what `reference` starts from, too
                with loading.importing_from(os.path.dirname(session.path)):
                    session.result = drivers.run_driver(code, session.namespace)
            session.synchronize()
        except SystemExit as stop:
            session.synchronize()
            if stop.code not in (None, 0):
                return _ended(session, stop)  # else a script that says it is done
    return None


def _ended(session: Session, stop: SystemExit) -> Finding:
    """Return the finding for a script that ended itself and said that something was wrong."""
    hint = ""
    walk = stop.__traceback__
    while walk is not None:
        if "parser" in walk.tb_frame.f_locals.get("self", "").__class__.__name__.lower():
            hint = (
                "the script reads its command line, which is empty here: give its arguments "
                "defaults, or type a driver that calls its functions"
            )
        walk = walk.tb_next
    told = session.finding(stop, "driver")
    said = f"exit status {stop.code}" if isinstance(stop.code, int) else str(stop.code)
    return replace(told, message=f"the driver ended itself: {said}", hint=hint, severity="warning")


@contextlib.contextmanager
def _process_settings_kept() -> Iterator[None]:
    """Put back what a script of its own process may set as it likes, for the next run's sake."""
    folder, dtype = os.getcwd(), torch.get_default_dtype()
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        os.chdir(folder)


def _findings(
    session: Session, recorder: capture.Capture, failures: list[Finding]
) -> list[Finding]:
    told = {finding.line for finding in failures}
    slips = slips_in(session.text, session.path)
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
    if not recorder.launches and not failures:
        driver = session.driver
        shown = f"`{driver.label}`" if driver else "the file"
        found.append(
            Finding(
                "warning",
                "capture",
                f"{shown} launched no Triton kernel",
                "choose or type a driver that launches one, such as example(): a call that "
                "reaches kernel[grid](...)",
                session.path,
                driver.line if driver else None,
            )
        )
    return found


def _result(session: Session, started: float) -> RunResult:
    value = "" if session.result is None else repr(session.result)
    return RunResult(
        launches=tuple(launch.info for launch in session.launches),
        findings=session.findings,
        result=value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…",
        elapsed_ms=(time.perf_counter() - started) * 1e3,
        modified_files=loading.user_files(session.path)[1:],
    )
