"""The verb `sweep`: a space from the command line, searched, at one problem size or several."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from playground.cli import schema
from playground.cli.task import whole_number
from playground.cli.work import RefusedError, Work, refusal
from playground.engine.sweep_sizes import SizeError, sweep_sizes
from playground.model.constraints import ConstraintError
from playground.model.finding import Finding
from playground.model.knobs import KnobError, KnobValue, sweep_values
from playground.model.sweep import space, tuned_configs
from playground.model.sweep_plan import EXHAUSTIVE_UP_TO, Strategy, SweepPlan, too_many
from playground.model.sweep_sizes import Sizes, across
from playground.model.sweep_space import SweepSpace, make_space
from playground.model.sweep_values import parse_values
from playground.model.sweep_workers import Workers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.cli.task import Task
    from playground.model.config import Config
    from playground.model.launch import Launch
    from playground.model.sweep import SweepResult

SMALL_SWEEP = 8
"""Configs of the sweep that comes with `triton-playground FILE` where there is no display."""
SWEEP_BUDGET_MS = 50.0


def sweep(work: Work) -> None:
    """Try the space that `--space` and `--where` span, by the strategy asked for."""
    work.report.doing("sweeping")
    plan = _plan(work, work.launch, dict(work.session.sizes))
    count = plan.space.count()
    if not count.valid:
        first = next(plan.space.combinations(), None)
        why = plan.space.violation(first) if first is not None and count.exact else ""
        raise RefusedError(
            refusal("sweep", "no config meets the conditions" + (f": {why}" if why else ""),
                    work.task, hint=f"{count.text()}: give other values or another --where")
        )  # fmt: skip
    if why := too_many(plan.strategy, plan.most, count.valid):
        hint = "leave --strategy out, choose tpe, or say --most how many to try"
        raise RefusedError(refusal("sweep", why, work.task, hint=hint))
    if work.task.sizes:
        _at_sizes(work)
        return
    result = work.attempt(
        "sweep",
        f"sweeping {count.text()}",
        lambda: work.session.sweep(
            work.launch.index, target=work.task.target, job=work.job, plan=plan
        ),
    )
    _put(work, result)


def workers_of(task: Task) -> Workers:
    """Return the bench workers that the command line asks for."""
    return Workers(task.gpus, task.share, task.cluster)


def small_sweep(work: Work) -> None:
    """Try the config and a few that differ from it in one knob."""
    configs = one_at_a_time(work.launch, work.config)[:SMALL_SWEEP]
    result = work.attempt(
        "sweep",
        f"sweeping {len(configs)} configs",
        lambda: work.session.sweep(
            work.launch.index, configs, target=work.task.target, budget_ms=SWEEP_BUDGET_MS,
            job=work.job,
        ),
    )  # fmt: skip
    _put(work, result)


def one_at_a_time(launch: Launch, config: Config) -> tuple[Config, ...]:
    """Return `config` and those that differ from it in one knob, the knobs taking turns."""
    axes: list[list[Config]] = []
    for knob in launch.knobs:
        if knob.name in config:
            others = {name: (config[name],) for name in config if name != knob.name}
            axes.append([c for c in space(launch.knobs, config, others) if c != config])
    turns = itertools.chain.from_iterable(itertools.zip_longest(*axes))
    return (config, *(item for item in turns if item is not None))


def _put(work: Work, result: SweepResult) -> None:
    if result.best is not None:
        work.config = result.best.config
    work.report.put("sweep", schema.sweep(result, work.launch.kernel))


def _at_sizes(work: Work) -> None:
    try:
        sizes = tuple(_sizes_of(text) for text in work.task.sizes)
    except ValueError as error:
        raise RefusedError(refusal("sweep", str(error), work.task)) from error

    def plan_for(launch: Launch, at: Sizes) -> SweepPlan:
        return _plan(work, launch, {**work.session.sizes, **dict(at)})

    try:
        done = sweep_sizes(
            work.session, work.launch.index, sizes, plan_for, work.task.target, work.job
        )
    except SizeError as error:
        raise RefusedError(refusal("sweep", str(error), work.task)) from error
    work.report.put("sweep", schema.sweeps(done, across(done), work.launch.kernel))


def _plan(work: Work, launch: Launch, sizes: Mapping[str, int]) -> SweepPlan:
    task = work.task
    try:
        own = _space(work, launch, sizes)
    except (KnobError, ConstraintError) as error:
        raise RefusedError(refusal("sweep", str(error), task)) from error
    strategy: Strategy = task.strategy
    return SweepPlan(
        own, strategy, most=task.most, budget_ms=SWEEP_BUDGET_MS, total_s=task.total_s,
        start=work.config, resume=task.resume, stored=True, workers=workers_of(task),
    )  # fmt: skip


def _space(work: Work, launch: Launch, sizes: Mapping[str, int]) -> SweepSpace:
    """Return the space named; with none named the file's own configs, or steps around."""
    task, knobs, config = work.task, launch.knobs, work.config
    by_name = {knob.name: knob for knob in knobs}
    given: dict[str, Sequence[KnobValue]] = {
        name: parse_values(by_name[name], text) for name, text in task.values.items()
    }
    if given:
        return make_space(knobs, config, given, task.where, sizes)
    if launch.presets and config == launch.config:
        return make_space(knobs, config, {}, task.where, sizes, tuned_configs(launch))
    around = {
        knob.name: sweep_values(knob, config[knob.name]) for knob in knobs if knob.name in config
    }
    whole = make_space(knobs, config, around, task.where, sizes)
    searched = task.strategy not in ("auto", "exhaustive") or task.most is not None
    if searched or whole.count().valid <= EXHAUSTIVE_UP_TO:
        return whole
    work.report.add(
        Finding(
            "info", "sweep", "one knob varied at a time: all of them together are too many",
            hint="name the values to combine, for example --space num_warps=2,4,8, or a --strategy",
        )
    )  # fmt: skip
    return make_space(knobs, config, {}, task.where, sizes, one_at_a_time(launch, config))


def _sizes_of(text: str) -> Sizes:
    """Return the sizes in `m=1024,n=4096`."""
    found = []
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"--sizes takes NAME=VALUE,NAME=VALUE, not {text!r}")
        found.append((name.strip(), whole_number(name.strip(), value.strip())))
    return tuple(found)
