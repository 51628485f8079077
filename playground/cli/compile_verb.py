"""The verb `compile`: figures, texts, passes and lines of a config, another one, all targets."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from playground.cli import compile_schema as schema
from playground.cli.schema import plain
from playground.cli.task import typed_value
from playground.cli.work import FailedError, RefusedError, refusal
from playground.model.compilations import Variant
from playground.model.config import validated
from playground.model.knobs import KnobError

if TYPE_CHECKING:
    from playground.cli.schema import Json
    from playground.cli.work import Work
    from playground.engine.compile_outcome import CompileOutcome
    from playground.model.config import Config
    from playground.model.knobs import KnobValue

PASSES = {"passes": False, "llvm-passes": True}
"""What `--emit` takes beside stages: whether LLVM's own passes are told as well."""


def compile_(work: Work) -> None:
    """Compile the config for the target, and show of it what was asked for."""
    task, session = work.task, work.session
    outcome = work.attempt(
        "compile",
        f"compiling {work.launch.kernel}",
        lambda: session.compile(work.launch.index, work.config, target=task.target, job=work.job),
    )
    work.report.add(*outcome.findings)
    found = _asked_for(work, outcome)
    shown = any(found.get(part) for part in ("ir", "passes", "comparison"))
    if outcome.report is None and not shown and not task.all_targets:
        raise FailedError
    work.report.put("compile", schema.compiled(outcome.report, found, _named(work)))
    if task.all_targets:
        fits = work.attempt(
            "compile",
            "compiling for all targets",
            lambda: session.compile_all(work.launch.index, work.config, (), work.job),
        )
        found["targets"] = [schema.fit(item) for item in fits]
        work.report.put("compile", schema.compiled(outcome.report, found, _named(work)))
    if outcome.report is None:
        raise FailedError


def _named(work: Work) -> Json:
    """Return what is known of a compilation that failed."""
    target = work.task.target or work.session.device.target
    return {
        "launch": work.launch.index, "kernel": work.launch.kernel,
        "config": plain(work.config), "target": target,
    }  # fmt: skip


def _asked_for(work: Work, outcome: CompileOutcome) -> Json:
    """Return the parts of the document that options asked for; of a failed one what there is."""
    task = work.task
    found: Json = {"stages": list(outcome.stages), "ir": _texts(work, outcome)}
    if any(item in PASSES for item in task.emit):
        llvm = any(PASSES.get(item, False) for item in task.emit)
        made = work.attempt(
            "compile",
            "compiling pass by pass",
            lambda: work.session.passes(
                work.launch.index, work.config, task.target, work.job, llvm=llvm
            ),
        )
        work.report.add(*made.findings)
        found["passes"] = plain(made.passes)
    if task.lines and outcome.report is not None:
        code = work.attempt(
            "compile",
            "counting instructions by line",
            lambda: work.session.code(work.launch.index, work.config, task.target, work.job),
        )
        found["code"] = schema.code(code, _source(work))
    if task.diff is not None or task.diff_target is not None:
        found["comparison"] = _comparison(work)
    return found


def _texts(work: Work, outcome: CompileOutcome) -> Json:
    task = work.task
    known = outcome.stages
    stages = known if "all" in task.emit else [item for item in task.emit if item not in PASSES]
    texts: Json = {}
    for stage in stages:
        if stage in known:
            texts[stage] = _text(work, outcome, stage)
        elif outcome.report is not None:
            raise RefusedError(
                refusal(
                    "compile", f"{outcome.report.target} has no stage {stage}", task,
                    hint=f"--emit takes {', '.join([*known, *PASSES])} or all",
                )
            )  # fmt: skip
    return texts


def _text(work: Work, outcome: CompileOutcome, stage: str) -> str:
    return str(work.attempt("compile", f"reading {stage}", lambda: outcome.asm[stage]))


def _source(work: Work) -> dict[int, str]:
    """Return the lines of the kernel's file by number, for a table by line."""
    file = work.launch.file
    if file == work.session.path:
        text = work.session.text
    else:
        from playground.engine.source_text import read_source

        text = work.attempt("compile", f"reading {file}", lambda: read_source(file))
    return dict(enumerate(text.splitlines(), 1))


def _comparison(work: Work) -> Json:
    """Return the other compilation, what moved, and the differences of the stages asked for."""
    task, session = work.task, work.session
    target = task.target or session.device.target
    left = Variant(work.config, target)
    right = dataclasses.replace(left, config=_other(work), target=task.diff_target or target)
    compared = work.attempt(
        "compile",
        "comparing compilations",
        lambda: session.compare_compilations(work.launch.index, left, right, work.job),
    )
    work.report.add(*compared.findings)
    shown = [report.stages for report in (compared.left_report, compared.right_report) if report]
    common = [stage for stage in shown[0] if stage in shown[-1]] if len(shown) == 2 else []
    stages = common if "all" in task.emit else [item for item in task.emit if item in common]
    diffs = {stage: _stage_diff(work, left, right, stage) for stage in stages}
    return schema.comparison(compared, diffs)


def _stage_diff(work: Work, left: Variant, right: Variant, stage: str) -> str:
    from playground.model import text_diff

    made = work.attempt(
        "compile",
        f"comparing {stage}",
        lambda: work.session.stage_diff(work.launch.index, left, right, stage, work.job),
    )
    before, after = text_diff.plain_lines(made.left), text_diff.plain_lines(made.right)
    return "\n".join(text_diff.unified(before, after, text_diff.blocks(before, after, stage)))


def _other(work: Work) -> Config:
    """Return the config of the other side: `--diff` changes what `--set` made."""
    settings = (work.task.diff or "").replace(",", " ").split()
    given: dict[str, KnobValue] = {}
    for item in settings:
        name, equals, value = item.partition("=")
        if not equals:
            raise RefusedError(
                refusal("compile", f"--diff takes NAME=VALUE ..., not {item!r}", work.task)
            )
        given[name] = typed_value(value)
    try:
        return validated(work.config.updated(given), work.launch.knobs)
    except KnobError as error:
        raise RefusedError(refusal("compile", str(error), work.task)) from error
