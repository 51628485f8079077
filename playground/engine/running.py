"""One run: the text executed in a fresh module, then the driver, every launch captured."""

from __future__ import annotations

import os
import time
import types
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from playground.engine import capture, drivers, loading, snapshot
from playground.engine.findings import FatalError
from playground.engine.job import CancelledError
from playground.engine.launches import LaunchList
from playground.engine.randomness import random_state
from playground.engine.slips import slips_in
from playground.model.finding import Finding
from playground.protocol.messages import RunResult

if TYPE_CHECKING:
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
    session.seed = torch.seed()
    session.random_state = random_state()
    try:
        with session.watched(job), capture.capturing(recorder), snapshot.poisoned_memory():
            _execute(session)
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


def _execute(session: Session) -> None:
    driver = session.driver
    code = "" if driver is None else drivers.with_sizes(driver.code, session.sizes)
    script = not code.strip()
    module = types.ModuleType("__main__" if script else loading.module_name(session.path))
    session.namespace = module.__dict__
    with loading.script_arguments(session.path):
        try:
            loading.execute(module, session.path, session.text)
            if not script:
                with loading.importing_from(os.path.dirname(session.path)):
                    session.result = drivers.run_driver(code, session.namespace)
            session.synchronize()
        except SystemExit:
            session.synchronize()  # a script that says it is done


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
