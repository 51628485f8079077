"""The verbs, done with the engine in this process: each fills its part of the document."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

from playground.cli import schema
from playground.cli.task import typed_value, whole_number
from playground.engine.findings import finding_from_exception
from playground.engine.job import Job
from playground.engine.session import Session
from playground.model.config import Config, validated
from playground.model.finding import Finding, Stage
from playground.model.knobs import KnobError, validate
from playground.model.sweep import space
from playground.protocol.messages import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.task import Task
    from playground.cli.worker import Report
    from playground.model.check import CheckResult
    from playground.model.knobs import KnobValue
    from playground.model.launch import Launch
    from playground.protocol.messages import Reply

T = TypeVar("T")

LARGEST_SWEEP = 500
"""Configs up to which the command line sweeps exhaustively."""
SMALL_SWEEP = 8
"""Configs of the sweep that comes with `triton-playground FILE` where there is no display."""
SWEEP_BUDGET_MS = 50.0


class RefusedError(Exception):
    """The command line asked for something that this file or launch does not have."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class FailedError(Exception):
    """A step failed and its findings are in the report: what depends on it is not done."""


def perform(task: Task, report: Report) -> None:
    """Do `task` and put what was found into `report`; failures become findings."""
    try:
        session = _attempt(report, task.file, "engine", "starting the engine", Session)
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


class Work:
    """A session with the file run, the launch chosen and its config set."""

    def __init__(self, task: Task, report: Report, session: Session) -> None:
        self.task = task
        self.report = report
        self.session = session
        self.job = Job(self._heard)
        self.launch: Launch
        self.config: Config

    def capture(self) -> None:
        """Run the file and its driver; `launch` and `config` are set where the verb needs them."""
        task, session = self.task, self.session
        self.attempt("syntax", "reading the file", lambda: session.load(task.file))
        self.report.add(*session.outline.findings)
        if self.report.failed:
            raise FailedError
        sizes, settings = self._split_settings()
        result = self.attempt(
            "driver",
            "running the file and its driver",
            lambda: session.run(driver=task.driver, sizes=sizes, job=self.job),
        )
        if result.launches:
            self.report.add(*result.findings)
        else:
            self.report.add(*_without_launch(result.findings, task))
        if task.verb in ("launches", "all"):
            self.report.put("launches", [schema.launch(item) for item in result.launches])
        if not result.launches:
            raise FailedError
        # Where the driver failed later on, what it had launched before is there to look at.
        self._choose(result.launches, settings)

    def attempt(self, stage: Stage, doing: str, step: Callable[[], T]) -> T:
        """Return what `step` returns; its exception becomes a finding and `FailedError`."""
        return _attempt(self.report, self.task.file, stage, doing, step)

    def check(self) -> CheckResult:
        """Check the replay's result; a wrong one is an error."""
        checked = self.attempt(
            "check",
            "checking the result",
            lambda: self.session.check(self.launch.index, self.config, job=self.job),
        )
        self.report.add(*checked.findings)
        result = checked.result
        if result.status == "wrong" and not any(
            item.severity == "error" and item.stage == "check" for item in self.report.findings
        ):
            self.report.add(
                Finding(
                    "error",
                    "check",
                    result.text(),
                    hint=f"under {self.config.label()}; a time of a wrong result is worth nothing",
                    file=self.launch.file,
                    line=self.launch.line,
                )
            )
        return result

    def _heard(self, reply: Reply) -> None:
        if isinstance(reply, Progress):
            self.report.progress(reply.text, reply.fraction)

    def _split_settings(self) -> tuple[dict[str, int], dict[str, KnobValue]]:
        known = self._problem_sizes()
        sizes: dict[str, int] = {}
        settings: dict[str, KnobValue] = {}
        for name, text in self.task.settings.items():
            if name in known:
                try:
                    sizes[name] = whole_number(name, text)
                except ValueError as error:
                    raise RefusedError(_finding("driver", str(error), self.task)) from error
            else:
                settings[name] = typed_value(text)
        return sizes, settings

    def _problem_sizes(self) -> tuple[str, ...]:
        """Return the sizes that a driver calling `example` takes, typed or the file's own."""
        chosen = self.session.driver.code if self.session.driver else ""
        code = chosen if self.task.driver is None else self.task.driver
        example = next((d for d in self.session.outline.drivers if d.kind == "example"), None)
        if example is None or "example(" not in code:
            return ()
        return tuple(size.name for size in example.sizes)

    def _choose(self, launches: tuple[Launch, ...], settings: dict[str, KnobValue]) -> None:
        index = self.task.launch
        if not 0 <= index < len(launches):
            raise RefusedError(
                _finding(
                    "capture",
                    f"there is no launch {index}: the driver launched {_counted(launches)}",
                    self.task,
                    hint=f"--launch takes 0 to {len(launches) - 1}; "
                    "`triton-playground launches FILE` lists them",
                )
            )
        self.launch = launches[index]
        knobs = {knob.name: knob for knob in self.launch.knobs}
        sizes = self._problem_sizes()
        for name in [*settings, *self.task.values]:
            if name not in knobs:
                raise RefusedError(
                    _finding(
                        "capture",
                        f"{name} is neither a knob of launch {index} ({self.launch.kernel}) "
                        "nor a problem size",
                        self.task,
                        hint=f"knobs: {', '.join(knobs) or 'none'}; "
                        f"problem sizes: {', '.join(sizes) or 'none'}",
                    )
                )
        try:
            self.config = validated(self.launch.config.updated(settings), self.launch.knobs)
        except KnobError as error:
            raise RefusedError(_finding("capture", str(error), self.task)) from error


def _attempt(report: Report, file: str, stage: Stage, doing: str, step: Callable[[], T]) -> T:
    report.doing(doing)
    try:
        return step()
    except Exception as error:  # the edge of a step: every failure becomes a finding
        report.add(finding_from_exception(error, stage, user_files=(file,)))
        raise FailedError from error


def _finding(stage: Stage, message: str, task: Task, hint: str = "") -> Finding:
    return Finding("error", stage, message, hint=hint, file=task.file)


def _counted(launches: tuple[Launch, ...]) -> str:
    return f"{len(launches)} kernel" + ("s" if len(launches) != 1 else "")


def _without_launch(findings: tuple[Finding, ...], task: Task) -> list[Finding]:
    """Return the findings of a run without a launch, which is an error here: nothing follows."""
    if any(item.severity == "error" for item in findings):
        return list(findings)
    told = [item for item in findings if item.stage == "capture"]
    hint = "give the call that launches one, for example --driver 'main(4096)'"
    error = _finding("capture", told[0].message if told else "no kernel was launched", task, hint)
    return [*(item for item in findings if item not in told), error]


# ------------------------------------------------------------------ the verbs


def launches(_work: Work) -> None:
    """Everything was done by capturing."""


def compile_(work: Work) -> None:
    """Compile the config for the target, with the text of every stage asked for."""
    task, session = work.task, work.session
    outcome = work.attempt(
        "compile",
        f"compiling {work.launch.kernel}",
        lambda: session.compile(work.launch.index, work.config, target=task.target, job=work.job),
    )
    work.report.add(*outcome.findings)
    if outcome.report is None:
        raise FailedError
    report = outcome.report
    stages = report.stages if "all" in task.emit else task.emit
    ir: dict[str, str] = {}
    for stage in stages:
        if stage not in report.stages:
            raise RefusedError(
                _finding(
                    "compile", f"{report.target} has no stage {stage}", task,
                    hint=f"--emit takes {', '.join(report.stages)} or all",
                )
            )  # fmt: skip
        ir[stage] = _ir(work, stage)
    work.report.put("compile", schema.compiled(report, ir))


def _ir(work: Work, stage: str) -> str:
    session = work.session
    captured = session.launches[work.launch.index]
    ir = work.attempt(
        "compile",
        f"reading {stage}",
        lambda: session.compiler.ir(captured, work.config, stage, work.task.target),
    )
    return ir.text


def bench(work: Work) -> None:
    """Check the result, count the bytes where a bandwidth can be told, and measure."""
    check = work.check()
    if work.session.device.mode == "gpu":
        work.attempt(
            "coverage",
            "counting bytes",
            lambda: work.session.coverage(work.launch.index, work.config, job=work.job),
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
        ),
    )
    work.report.put("measurement", schema.measurement(measured, work.launch.kernel, check))


def coverage(work: Work) -> None:
    """Count what every program loads and stores."""
    counted = work.attempt(
        "coverage",
        "counting loads and stores",
        lambda: work.session.coverage(work.launch.index, work.config, job=work.job),
    )
    work.report.put("coverage", schema.coverage(counted, work.launch.kernel))
    for access in counted.out_of_bounds:
        side = "past the end" if access.distance > 0 else "before the start"
        work.report.add(
            Finding(
                "error",
                "coverage",
                f"{access.lanes} lanes {access.kind} out of bounds: program {access.program} is "
                f"{abs(access.distance)} elements {side} of {access.tensor}",
                hint="mask the access, or fix the grid or the strides",
                file=access.file or work.launch.file,
                line=access.line,
            )
        )


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
            raise RefusedError(_finding("sweep", str(error), work.task)) from error
    if given:
        fixed = {knob.name: (work.config[knob.name],) for knob in knobs if knob.name in work.config}
        configs = space(knobs, work.config, {**fixed, **given})
    else:
        configs = space(knobs, work.config)
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
            _finding(
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
        lambda: work.session.export(work.launch.index, work.config),
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
    "coverage": coverage,
    "sweep": sweep,
    "export": export,
    "all": all_,
}
