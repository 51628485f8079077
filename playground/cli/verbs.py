"""The verbs, done with the engine in this process: each fills its part of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.cli import programs, schema, timing
from playground.cli.advise_verb import advise
from playground.cli.compile_verb import compile_
from playground.cli.debug_verb import debug
from playground.cli.sweep_verb import small_sweep, sweep, workers_of
from playground.cli.tuned_export import from_sweeps
from playground.cli.work import FailedError, RefusedError, Work, attempt, refusal
from playground.engine.coverage_findings import coverage_findings
from playground.engine.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.task import Task
    from playground.cli.worker import Report
    from playground.engine.ahead import Ahead
    from playground.protocol.messages import Exported


def perform(task: Task, report: Report, ahead: Ahead | None = None) -> None:
    """Do `task` and put what was found into `report`; failures become findings.

    `ahead` are a sweep's processes that were started before; what it still has, its owner ends.
    """
    try:
        session = attempt(report, task.file, "engine", "starting the engine", Session)
        try:
            report.put("device", schema.device(session.device))
            if ahead is not None:
                ahead.hand_over(session)
            if task.verb == "sweep":
                # What is still missing starts while the file runs.
                attempt(
                    report, task.file, "sweep", "starting the workers",
                    lambda: session.prestart_bench(workers_of(task)),
                )  # fmt: skip
            work = Work(task, report, session)
            work.capture()
            VERBS[task.verb](work)
        finally:
            session.close()
    except RefusedError as error:
        report.refuse(error.finding)
    except FailedError:
        return


def launches(_work: Work) -> None:
    """Everything was done by capturing."""


def bench(work: Work) -> None:
    """Check the result, count the bytes where a bandwidth can be told, and measure.

    Where the interpreter runs the kernel, it is compiled for the target as well: much that it takes
    no compiler does.
    """
    if work.task.source is not None:
        try:
            work.session.use_clock(work.task.source)
        except ValueError as error:
            raise RefusedError(refusal("timing", str(error), work.task)) from error
    check = work.check()
    work.compile_too()
    if work.session.device.mode == "gpu":
        work.attempt(
            "coverage",
            "counting bytes",
            lambda: work.session.counted(work.launch.index, work.config, work.job),
        )
    measured = work.attempt(
        "timing",
        "measuring",
        lambda: work.session.bench(
            work.launch.index,
            work.config,
            budget_ms=work.task.budget_ms,
            cache=work.task.cache,
            job=work.job,
            target=work.task.target,
        ),
    )
    document = schema.measurement(measured, work.launch.kernel, check, timing.extras(work))
    work.report.put("measurement", document)


def replay(work: Work) -> None:
    """Run the launch once, inside the range that Nsight Compute is told to look at."""
    from playground.engine.analysis import replay_once

    work.attempt(
        "runtime",
        "replaying the launch",
        lambda: replay_once(work.session, work.launch.index, work.config, work.job),
    )
    work.report.put("replay", {"kernel": work.launch.kernel, "config": schema.plain(work.config)})


def coverage(work: Work) -> None:
    """Count what every program loads and stores."""
    counted = work.attempt(
        "coverage",
        "counting loads and stores",
        lambda: work.session.coverage(
            work.launch.index, work.config, job=work.job, sample=work.task.sample
        ),
    )
    work.report.put("coverage", schema.coverage(counted, work.launch.kernel))
    launch = work.launch
    work.report.add(*coverage_findings(launch.kernel, counted, launch.file, launch.line))
    found = programs.extras(work)
    work.report.put("coverage", schema.coverage(counted, work.launch.kernel, found))


def export(work: Work) -> None:
    """Make the text of the tuned file; the command line writes it."""
    others, dispatch = from_sweeps(work)
    exported = work.attempt(
        "export",
        "writing the tuned file",
        lambda: work.session.export(
            work.launch.index,
            work.config,
            keep_autotune=work.task.keep_autotune,
            others=others,
            dispatch=dispatch,
        ),
    )
    _put_text(work, "export", exported)


def report(work: Work) -> None:
    """Find out what is not known of the launch yet, and write all of it as HTML."""
    from playground.engine.reporting import report as gathered

    made = work.attempt(
        "export",
        "writing the report",
        lambda: gathered(work.session, work.launch.index, work.config, work.job),
    )
    _put_text(work, "report", made)


def reproducer(work: Work) -> None:
    """Compile and check the config, so that what is wrong stands in the script, and write it."""
    from playground.engine.reproducer import reproducer as written

    work.attempt("compile", "compiling", lambda: work.session.compile(
        work.launch.index, work.config, work.task.target, work.job))  # fmt: skip
    made = work.attempt(
        "export",
        "writing the reproducer",
        lambda: written(work.session, work.launch.index, work.config),
    )
    _put_text(work, "reproducer", made)


def _put_text(work: Work, key: str, made: Exported) -> None:
    """Put a text into the report of the work; the command line writes it."""
    work.report.add(*made.findings)
    work.report.put(
        key,
        {
            "launch": work.launch.index,
            "kernel": work.launch.kernel,
            "config": schema.plain(work.config),
            "name": made.suggested_name,
            "path": None,
            "text": made.text,
        },
    )


def all_(work: Work) -> None:
    """Do the whole main job once: what the window shows, for a machine without a display."""
    for step in (compile_, bench, coverage, small_sweep, export):
        try:
            step(work)
        except FailedError:
            # Its findings are in the report; the other steps may still tell something.
            continue


VERBS: dict[str, Callable[[Work], None]] = {
    "launches": launches,
    "compile": compile_,
    "bench": bench,
    "replay": replay,
    "coverage": coverage,
    "advise": advise,
    "debug": debug,
    "sweep": sweep,
    "export": export,
    "report": report,
    "reproducer": reproducer,
    "all": all_,
}
