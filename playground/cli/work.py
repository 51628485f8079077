"""What every verb begins with: the file run, the launch chosen, its config set."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from playground.cli import schema
from playground.cli.task import typed_value, whole_number
from playground.engine.findings import finding_from_exception
from playground.engine.job import Job
from playground.model.config import Config, validated
from playground.model.finding import Finding, Stage
from playground.model.knobs import KnobError
from playground.protocol.messages import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.task import Task
    from playground.cli.worker import Report
    from playground.engine.session import Session
    from playground.model.check import CheckResult
    from playground.model.knobs import KnobValue
    from playground.model.launch import Launch
    from playground.protocol.messages import Reply

T = TypeVar("T")


class RefusedError(Exception):
    """The command line asked for something that this file or launch does not have."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class FailedError(Exception):
    """A step failed and its findings are in the report: what depends on it is not done."""


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
            lambda: session.run(
                driver=task.driver,
                sizes=sizes,
                job=self.job,
                benchmarks=task.benchmarks,
                tuning=task.tuning,
            ),
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
        return attempt(self.report, self.task.file, stage, doing, step)

    def check(self) -> CheckResult:
        """Check the replay's result; a wrong one is an error."""
        checked = self.attempt(
            "check",
            "checking the result",
            lambda: self.session.judge(self.launch.index, self.config, self.job),
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

    def compile_too(self) -> None:
        """Report what compiling for the target says against a config that is interpreted here."""
        if self.session.device.mode != "interpreter":
            return
        target = self.task.target or self.session.device.target
        refused = self.attempt(
            "compile",
            f"compiling {self.launch.kernel} for {target}",
            lambda: self.session.refusals(
                self.launch.index, self.config, self.task.target, self.job
            ),
        )
        self.report.add(*refused)

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
                    raise RefusedError(refusal("driver", str(error), self.task)) from error
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
                refusal(
                    "capture",
                    f"there is no launch {index}: the driver launched {_counted(launches)}",
                    self.task,
                    hint=f"--launch takes 0 to {len(launches) - 1}; "
                    "`triton-playground launches FILE` lists them",
                )
            )
        self.launch = launches[index]
        knobs = {knob.name: knob for knob in self.launch.knobs}
        if self.task.verb == "launches" and (moved := [name for name in settings if name in knobs]):
            given = " ".join(f"--set {name}={self.task.settings[name]}" for name in moved)
            raise RefusedError(
                refusal(
                    "capture",
                    f"launches lists what the driver launched: the knob {moved[0]} is not moved "
                    "there",
                    self.task,
                    hint=f"bench, compile, coverage, sweep and export take {given}",
                )
            )
        sizes = self._problem_sizes()
        for name in [*settings, *self.task.values]:
            if name not in knobs:
                raise RefusedError(
                    refusal(
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
            raise RefusedError(refusal("capture", str(error), self.task)) from error


def attempt(report: Report, file: str, stage: Stage, doing: str, step: Callable[[], T]) -> T:
    """Return what `step` returns; its exception becomes a finding and `FailedError`."""
    report.doing(doing)
    try:
        return step()
    except Exception as error:  # the edge of a step: every failure becomes a finding
        report.add(finding_from_exception(error, stage, user_files=(file,)))
        raise FailedError from error


def refusal(stage: Stage, message: str, task: Task, hint: str = "") -> Finding:
    """Return the error that says what of the command line is not there."""
    return Finding("error", stage, message, hint=hint, file=task.file)


def _counted(launches: tuple[Launch, ...]) -> str:
    return f"{len(launches)} kernel" + ("s" if len(launches) != 1 else "")


def _without_launch(findings: tuple[Finding, ...], task: Task) -> list[Finding]:
    """Return the findings of a run without a launch, which is an error here: nothing follows."""
    if any(item.severity == "error" for item in findings):
        return list(findings)
    told = [item for item in findings if item.stage == "capture"]
    hint = "give the call that launches one, for example --driver 'main(4096)'"
    error = refusal("capture", told[0].message if told else "no kernel was launched", task, hint)
    return [*(item for item in findings if item not in told), error]
