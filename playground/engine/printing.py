"""Kernels that print: only the run that is shown prints, and a time says what its printing costs.

`tl.device_print` prints at every launch. The run of the file and the debugger's runs are what the
user asked to see; replays that check, count or time would print the same lines a thousand times, so
theirs are thrown away (the interpreter's are as well). The kernel that is timed stays the user's:
its prints are part of it. What it takes without them is timed beside it and told.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from playground.engine import helper_modules
from playground.engine.source_text import read_source
from playground.model.roofline import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.session import Session
    from playground.model.measurement import CacheMode, Measurement

LEAST_MS, MOST_MS = 30.0, 50.0
"""Of a measurement that tells both times (those for the noise floor are shorter), and of the
comparison with the kernel without prints."""
_PRINTS = "tt.print"


def may_print(session: Session) -> bool:
    """Tell whether a kernel of the session's files may print, by their text; worked out once."""
    if session.kept.may_print is None:
        texts = [session.text]
        for path in helper_modules.user_files(session.path)[1:] if session.path else ():
            with contextlib.suppress(OSError, SyntaxError):
                texts.append(read_source(path))
        session.kept.may_print = any("print" in text for text in texts)
    return session.kept.may_print


def prints(outcome: CompileOutcome) -> bool:
    """Tell whether a compiled kernel prints, by the IR of its front end."""
    return _PRINTS in str(outcome.asm.get("ttir", ""))


@contextlib.contextmanager
def unheard(session: Session) -> Iterator[None]:
    """Throw away what kernels print on the GPU meanwhile; what they printed before comes out."""
    if session.device.mode != "gpu" or not may_print(session):
        yield
        return
    from playground.engine import gpu_prints

    session.synchronize()
    with gpu_prints.silenced():
        yield


def lines_of(outcome: CompileOutcome, file: str) -> list[int]:
    """Return the lines of `file` that print."""
    from playground.engine import source_lines

    text = str(outcome.asm.get("ttir", ""))
    behind = source_lines.lines_for("ttir", text, file)
    return sorted(
        {
            line
            for row, lines in zip(text.splitlines(), behind, strict=True)
            if f"{_PRINTS} " in row
            for line in lines[:1]
        }
    )


def without_prints(
    session: Session, measurement: Measurement, prepared: PreparedReplay, cache: CacheMode,
    restores: bool, job: Job,
) -> tuple[float, str]:  # fmt: skip
    """Return what a replay takes without its prints in ms, and a note that tells both times.

    The two are timed in turns, so that what disturbs one disturbs the other.
    """
    from playground.engine import comparing, sampling
    from playground.engine.clocks.work import Work
    from playground.engine.triton_private.silent import silent_run
    from playground.model.statistics import median

    run = silent_run(prepared)
    run()
    loud = sampling.work_of(prepared, cache, restores)
    quiet = Work(run, loud.before)
    found = comparing.compare(
        comparing.Contestant("as it is", loud), comparing.Contestant("without prints", quiet),
        cache=cache, budget_ms=min(measurement.budget_ms or MOST_MS, MOST_MS), job=job,
    )  # fmt: skip
    launch = prepared.launch.info
    outcome = session.compile(launch.index, prepared.config, job=job)
    listed = ", ".join(map(str, lines_of(outcome, launch.file)))
    where = f" in line {listed}" if listed else ""
    silent_ms = median(found.b_ms)
    return silent_ms, (
        f"the kernel prints{where}: {duration(median(found.a_ms))} with what that costs, "
        f"{duration(silent_ms)} without"
    )
