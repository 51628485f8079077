"""Requests of the window, each done with a session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from playground.engine import (
    server_advice,
    server_compiler,
    server_debugging,
    server_experiments,
    server_programs,
    server_sharing,
    server_sweeps,
    server_timing,
)
from playground.protocol import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.job import Job, Later
    from playground.model.config import Config
    from playground.model.finding import Stage
    from playground.protocol.messages import Reply


def _run(session: Any, request: messages.Run, job: Job) -> Reply:
    started = time.perf_counter()
    session.load(request.path, request.text)
    if not session.outline.findings:
        # Importing torch in the first compile worker takes a second or two: meanwhile, the driver.
        session.compiler.prestart()
    result: messages.RunResult = session.run(
        driver=request.driver, sizes=dict(request.sizes), job=job,
        benchmarks=request.benchmarks, tuning=request.tuning,
    )  # fmt: skip
    if result.elapsed_ms <= 0:
        elapsed_ms = (time.perf_counter() - started) * 1e3
        return messages.RunResult(
            result.launches, result.findings, result.result, elapsed_ms, result.modified_files
        )
    return result


def _replay(session: Any, request: messages.Replay, job: Job) -> None:
    if "compile" in request.steps:
        outcome = session.compile(request.launch, request.config, request.target, job)
        _tell_unusable(session, request.launch, request.config, request.target, outcome, job)
    session.replay(
        launch=request.launch, config=request.config, steps=request.steps, job=job,
        revision=request.revision, budget_ms=request.budget_ms, cache=request.cache,
        target=request.target, sample=request.sample,
    )  # fmt: skip


def _compile_ahead(session: Any, request: messages.CompileAhead, job: Job) -> None:
    captured = session.launches[request.launch]

    def done(config: Config, outcome: CompileOutcome) -> None:
        _tell_unusable(session, request.launch, config, request.target, outcome, job)
        job.check()

    session.compiler.compile_many(captured, request.configs, request.target, job, done)


def _tell_unusable(
    session: Any, launch: int, config: Config, target: str | None, outcome: CompileOutcome, job: Job
) -> None:
    """Tell the window of a config that cannot run, so that its slider marks the value."""
    if outcome.unusable:
        name = target or session.device.target
        job.send(messages.Unusable(launch, name, (config,), (outcome.unusable,)))


def _program(session: Any, request: messages.GetProgram, _job: Job) -> Reply:
    counts = session.kept.counts_to_show((request.launch, request.config))
    if counts is None:
        raise LookupError("the coverage of this config is no longer kept: measure it again")
    prepared = session.prepare(request.launch, request.config)
    return counts.footprint(prepared, request.tensor, request.program, request.view)  # type: ignore[no-any-return]


def _export(session: Any, request: messages.Export, _job: Job) -> Reply:
    return session.export(  # type: ignore[no-any-return]
        request.launch, request.config, keep_autotune=request.keep_autotune
    )


JOBS: dict[type, Callable[[Any, Any, Job], Reply | Later | None]] = {
    messages.Run: _run,
    messages.Replay: _replay,
    messages.CompileAhead: _compile_ahead,
    messages.GetProgram: _program,
    messages.Export: _export,
    **server_timing.JOBS,
    **server_compiler.JOBS,
    **server_programs.JOBS,
    **server_sweeps.JOBS,
    **server_debugging.JOBS,
    **server_sharing.JOBS,
    **server_experiments.JOBS,
    **server_advice.JOBS,
}
"""What does each request."""

STAGES: dict[type, Stage] = {
    messages.Run: "driver",
    messages.Replay: "runtime",
    messages.CompileAhead: "compile",
    messages.GetProgram: "coverage",
    messages.Export: "export",
    **dict.fromkeys(server_timing.JOBS, "timing"),
    **dict.fromkeys(server_compiler.JOBS, "compile"),
    **dict.fromkeys(server_programs.JOBS, "coverage"),
    **server_sweeps.STAGES,
    **dict.fromkeys(server_debugging.JOBS, "runtime"),
    **server_sharing.STAGES,
    **dict.fromkeys(server_experiments.JOBS, "timing"),
    **dict.fromkeys(server_advice.JOBS, "timing"),
}
"""The stage that a request's failure belongs to."""
