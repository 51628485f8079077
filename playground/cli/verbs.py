"""The verbs, done with the engine in this process: each fills its part of the document."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from playground.cli import programs, schema, timing
from playground.cli.compile_verb import compile_
from playground.cli.task import typed_value
from playground.cli.work import FailedError, RefusedError, Work, attempt, refusal
from playground.engine.coverage_findings import coverage_findings
from playground.engine.session import Session
from playground.model.finding import Finding
from playground.model.knobs import KnobError, validate
from playground.model.sweep import own_space, space

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.task import Task
    from playground.cli.worker import Report
    from playground.model.config import Config
    from playground.model.knobs import KnobValue
    from playground.model.launch import Launch

LARGEST_SWEEP = 500
"""Configs up to which the command line sweeps exhaustively."""
SMALL_SWEEP = 8
"""Configs of the sweep that comes with `triton-playground FILE` where there is no display."""
SWEEP_BUDGET_MS = 50.0


def perform(task: Task, report: Report) -> None:
    """Do `task` and put what was found into `report`; failures become findings."""
    try:
        session = attempt(report, task.file, "engine", "starting the engine", Session)
        try:
            report.put("device", schema.device(session.device))
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
    work.report.add(*coverage_findings(work.launch.kernel, counted))
    found = programs.extras(work)
    work.report.put("coverage", schema.coverage(counted, work.launch.kernel, found))


def sweep(work: Work) -> None:
    """Try every config of the space that `--values` spans, or a few steps around the config."""
    work.report.doing("sweeping")
    knobs = work.launch.knobs
    given: dict[str, tuple[KnobValue, ...]] = {}
    by_name = {knob.name: knob for knob in knobs}
    for name, texts in work.task.values.items():
        try:
            given[name] = tuple(validate(by_name[name], typed_value(text)) for text in texts)
        except KnobError as error:
            raise RefusedError(refusal("sweep", str(error), work.task)) from error
    if given:
        fixed = {knob.name: (work.config[knob.name],) for knob in knobs if knob.name in work.config}
        configs = space(knobs, work.config, {**fixed, **given})
    else:
        moved = work.config != work.launch.config
        configs = space(knobs, work.config) if moved else own_space(work.launch)
        if len(configs) > LARGEST_SWEEP:
            configs = one_at_a_time(work.launch, work.config)
            work.report.add(
                Finding(
                    "info", "sweep", "one knob varied at a time: all of them together are too many",
                    hint="name the values to combine, for example --values num_warps=2,4,8",
                )
            )  # fmt: skip
    if len(configs) > LARGEST_SWEEP:
        raise RefusedError(
            refusal(
                "sweep", f"{len(configs)} configs are too many to try them all", work.task,
                hint=f"give fewer values; up to {LARGEST_SWEEP} configs are tried",
            )
        )  # fmt: skip
    _sweep(work, configs)


def one_at_a_time(launch: Launch, config: Config) -> tuple[Config, ...]:
    """Return `config` and those that differ from it in one knob, the knobs taking turns."""
    axes: list[list[Config]] = []
    for knob in launch.knobs:
        if knob.name in config:
            others = {name: (config[name],) for name in config if name != knob.name}
            axes.append([c for c in space(launch.knobs, config, others) if c != config])
    turns = itertools.chain.from_iterable(itertools.zip_longest(*axes))
    return (config, *(item for item in turns if item is not None))


def _sweep(work: Work, configs: tuple[Config, ...]) -> None:
    result = work.attempt(
        "sweep",
        f"sweeping {len(configs)} configs",
        lambda: work.session.sweep(
            work.launch.index,
            configs,
            target=work.task.target,
            budget_ms=SWEEP_BUDGET_MS,
            job=work.job,
        ),
    )
    if result.best is not None:
        work.config = result.best.config
    work.report.put("sweep", schema.sweep(result, work.launch.kernel))


def export(work: Work) -> None:
    """Make the text of the tuned file; the command line writes it."""
    exported = work.attempt(
        "export",
        "writing the tuned file",
        lambda: work.session.export(
            work.launch.index, work.config, keep_autotune=work.task.keep_autotune
        ),
    )
    work.report.add(*exported.findings)
    work.report.put(
        "export",
        {
            "launch": work.launch.index,
            "kernel": work.launch.kernel,
            "config": schema.plain(work.config),
            "name": exported.suggested_name,
            "path": None,
            "text": exported.text,
        },
    )


def all_(work: Work) -> None:
    """Do the whole main job once: what the window shows, for a machine without a display."""
    for step in (compile_, bench, coverage, _small_sweep, export):
        try:
            step(work)
        except FailedError:
            # Its findings are in the report; the other steps may still tell something.
            continue


def _small_sweep(work: Work) -> None:
    _sweep(work, one_at_a_time(work.launch, work.config)[:SMALL_SWEEP])


VERBS: dict[str, Callable[[Work], None]] = {
    "launches": launches,
    "compile": compile_,
    "bench": bench,
    "replay": replay,
    "coverage": coverage,
    "sweep": sweep,
    "export": export,
    "all": all_,
}
