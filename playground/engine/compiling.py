"""Compiling a launch under any config for any target, and what the compiler made of it."""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch
import triton

from playground.engine import compile_reports, hosting, source_lines
from playground.engine.arguments import replace_tensors
from playground.engine.compile_messages import (
    Answer,
    ArgumentError,
    Order,
    Spec,
    UseFile,
    encode,
    reference,
)
from playground.engine.compile_pool import WorkerPool
from playground.engine.job import Job
from playground.engine.resources import disassemble
from playground.engine.triton_private import wrappers
from playground.engine.triton_private.compiled import tool
from playground.model.config import Config, validated
from playground.model.finding import Finding
from playground.model.knobs import OPTION_KNOBS
from playground.model.outline import Driver
from playground.model.targets import facts_for, parse_target
from playground.protocol.messages import Ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from playground.engine.capture import CapturedLaunch
    from playground.engine.hosting import Hosted
    from playground.model.compiling import CompileReport
    from playground.model.device import DeviceInfo

_KEPT_BYTES = 256 << 20
_TRIALS = 6
_NO_OPTION = frozenset({"grid", "warmup", "stream"})


class Asm(dict[str, "str | bytes"]):
    """Text or binary by stage; `sass` is made from the cubin when first asked for."""

    def __missing__(self, stage: str) -> str | bytes:
        cubin = self.get("cubin")
        if stage != "sass" or not isinstance(cubin, bytes):
            raise KeyError(stage)
        self[stage] = disassemble(cubin, tool("nvdisasm"))
        return self[stage]


@dataclass(frozen=True)
class CompileOutcome:
    """What compiling a config came to.

    `report` is None when it failed, and then a finding of severity error says why. A config that
    compiles but cannot launch has both. `asm` holds each stage's text and the binary. `undecided`:
    the worker could not execute the file or find the kernel, whatever the config.
    """

    report: CompileReport | None
    findings: tuple[Finding, ...] = ()
    asm: dict[str, str | bytes] = field(default_factory=Asm, repr=False)
    undecided: bool = False

    @property
    def unusable(self) -> str:
        """Why this config cannot run on its target, in one sentence; empty when it can.

        Empty as well where the worker could not even reach the kernel: that says nothing about the
        config.
        """
        if self.undecided or (self.report is not None and self.report.fits):
            return ""
        reasons = [finding.message for finding in self.findings if finding.severity == "error"]
        return reasons[0].partition("\n")[0] if reasons else "it does not compile"


class StageError(RuntimeError):
    """A stage cannot be shown; the message says why."""


class Compiler:
    """Compiles in worker processes that hold the file's newest text.

    Parameters
    ----------
    device : DeviceInfo
        The machine; its target is the default.
    hosted
        Tells what the host code makes of a launch under a config; by default nothing follows.
    """

    def __init__(
        self,
        device: DeviceInfo,
        hosted: Callable[[CapturedLaunch, Config], Hosted] = hosting.alone,
    ) -> None:
        self._device = device
        self._hosted = hosted
        self._environment = dict(os.environ)
        self._environment_told: dict[str, str | None] = {}
        self._pool = WorkerPool()
        self._use: UseFile | None = None
        self._generation = 0
        self._kept: OrderedDict[Order, CompileOutcome] = OrderedDict()
        self._kept_bytes = 0

    def use(
        self,
        path: str,
        text: str,
        driver: str | Driver | None = None,
        sizes: Mapping[str, int] | None = None,
        rebound: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Take `text` as what the file at `path` holds; what was compiled before is forgotten.

        `driver` and `sizes` are those of the run: some kernels exist only while a driver runs.
        `rebound` are globals that the console has bound anew since, by module; the file's own has
        the empty name.
        """
        code = driver.code if isinstance(driver, Driver) else driver or ""
        self._generation += 1
        self._use = UseFile(
            self._generation, path, text, code, tuple(sorted((sizes or {}).items())),
            tuple(folder for folder in sys.path if folder),
            _sendable(rebound or {}), self._environment_now(),
        )  # fmt: skip
        self._kept.clear()
        self._kept_bytes = 0

    def _environment_now(self) -> tuple[tuple[str, str | None], ...]:
        """Return what has changed in the environment since the workers may have started."""
        for name in {*self._environment, *os.environ}:
            value = os.environ.get(name)
            if value != self._environment.get(name) or name in self._environment_told:
                self._environment_told[name] = value
        return tuple(sorted(self._environment_told.items()))

    def prestart(self) -> None:
        """Start the first worker now, in the background, so that the first compile is quicker."""
        self._pool.prestart(self._used())

    @property
    def workers(self) -> int:
        """How many worker processes there are now."""
        return self._pool.count

    @property
    def worker_limit(self) -> int:
        """How many workers there may be."""
        return self._pool.limit

    @worker_limit.setter
    def worker_limit(self, count: int) -> None:
        self._pool.limit = max(1, count)

    def compile(
        self,
        launch: CapturedLaunch,
        config: Config | None = None,
        target: str | None = None,
        job: Job | None = None,
    ) -> CompileOutcome:
        """Compile `launch` under `config` for `target` (None: as captured, the machine's GPU).

        Raises
        ------
        KnobError
            The config names no knob of this launch, or a value that the knob cannot take.
        TargetError
            The target names no architecture.
        CancelledError
            The job was cancelled.
        """
        job = job or Job()
        config = _whole(launch, config)
        outcome = self._many(launch, (config,), target, job, _ignore)[config]
        report = outcome.report
        if report is not None and not report.fits:
            outcome = replace(outcome, findings=self._with_remedy(launch, outcome, job))
        return outcome

    def compile_many(
        self,
        launch: CapturedLaunch,
        configs: Iterable[Config],
        target: str | None = None,
        job: Job | None = None,
        on_done: Callable[[Config, CompileOutcome], None] | None = None,
    ) -> dict[Config, CompileOutcome]:
        """Compile all configs in parallel; `on_done` is called here as each ends.

        Raises as `compile` does; an exception of `on_done` stops it too.
        """
        wanted = {_whole(launch, config): config for config in configs}
        report = on_done or _ignore

        def done(config: Config, outcome: CompileOutcome) -> None:
            report(wanted[config], outcome)

        outcomes = self._many(launch, tuple(wanted), target, job or Job(), done)
        return {wanted[config]: outcome for config, outcome in outcomes.items()}

    def ir(
        self,
        launch: CapturedLaunch,
        config: Config | None,
        stage: str,
        target: str | None = None,
        job: Job | None = None,
    ) -> Ir:
        """Return one stage's text and the source line behind each of its lines.

        Raises
        ------
        StageError
            The config does not compile, or the target has no such stage.
        """
        outcome = self.compile(launch, config, target, job)
        if outcome.report is None:
            reasons = "; ".join(finding.text() for finding in outcome.findings)
            raise StageError(f"no {stage}: {reasons}")
        if stage not in outcome.report.stages:
            known = ", ".join(outcome.report.stages)
            raise StageError(f"{outcome.report.target} has no stage {stage}; it has {known}")
        text = str(outcome.asm[stage])
        return Ir(stage, text, source_lines.lines_for(stage, text, launch.info.file))

    def close(self) -> None:
        """End every worker process."""
        self._pool.close()

    def _many(
        self,
        launch: CapturedLaunch,
        configs: tuple[Config, ...],
        target: str | None,
        job: Job,
        on_done: Callable[[Config, CompileOutcome], None],
    ) -> dict[Config, CompileOutcome]:
        name = parse_target(target or self._device.target).name
        outcomes: dict[Config, CompileOutcome] = {}
        # Two configs may be one order: a heuristic may set what they differ in.
        waiting: dict[Order, list[Config]] = {}

        def done(config: Config, outcome: CompileOutcome) -> None:
            outcomes[config] = outcome
            on_done(config, outcome)

        for config in configs:
            job.check()
            try:
                order = self._order(launch, config, name)
            except ArgumentError as error:
                done(config, CompileOutcome(None, (_unsendable(launch, error),), undecided=True))
                continue
            kept = self._kept.get(order)
            if kept is None:
                waiting.setdefault(order, []).append(config)
                continue
            self._kept.move_to_end(order)
            done(config, _again(kept, launch, config))

        def answered(order: Order, answer: Answer) -> None:
            first = waiting[order][0]
            outcome = self._outcome(launch, first, name, answer)
            if answer.product is not None or not answer.load_failed:
                self._keep(order, outcome)
            for config in waiting[order]:
                done(config, _again(outcome, launch, config, hit=config is not first))

        self._pool.run([(order, order) for order in waiting], self._used(), job, answered)
        return outcomes

    def _used(self) -> UseFile:
        if self._use is None:
            raise RuntimeError("no file is in use: call use(path, text) before compiling")
        return self._use

    def _order(self, launch: CapturedLaunch, config: Config, target: str) -> Order:
        made = self._hosted(launch, config)
        effective = made.effective
        arguments = _arguments(made)
        options = {name: value for name, value in launch.options.items() if name not in _NO_OPTION}
        taken = wrappers.option_defaults(target)
        for name in OPTION_KNOBS:
            if name in effective and (name in options or name not in arguments):
                options[name] = effective[name]
            # A launch option that another target lacks says nothing there; but an older GPU of the
            # same maker refuses clusters of programs, which the compiler shall say.
            refused = name == "num_ctas" and target.startswith("cuda") and options.get(name) != 1
            if options.get(name) is None or (name not in taken and not refused):
                options.pop(name, None)
        return Order(
            reference(launch.function),
            tuple((name, encode(value)) for name, value in arguments.items()),
            tuple(sorted((name, _hashable(value)) for name, value in options.items())),
            target,
            launch.ordinal,
        )

    def _outcome(
        self, launch: CapturedLaunch, config: Config, target: str, answer: Answer
    ) -> CompileOutcome:
        if answer.product is None:
            return CompileOutcome(None, answer.findings, undecided=answer.undecided)
        named = self._device.name if self._device.target == target else ""
        report, findings = compile_reports.report(
            launch.info, config, target, answer.product, facts_for(target, named)
        )
        return CompileOutcome(report, findings, Asm(answer.product.asm))

    def _keep(self, order: Order, outcome: CompileOutcome) -> None:
        self._kept[order] = outcome
        self._kept_bytes += sum(map(len, outcome.asm.values()))
        while self._kept_bytes > _KEPT_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._kept_bytes -= sum(map(len, oldest.asm.values()))

    def _with_remedy(
        self, launch: CapturedLaunch, outcome: CompileOutcome, job: Job
    ) -> tuple[Finding, ...]:
        """Return the findings with the nearest configs that fit, each of them really compiled."""
        report = outcome.report
        if report is None:
            return outcome.findings
        fitting: list[str] = []
        trials = 0
        for family in compile_reports.smaller_configs(launch.info, report):
            for trial in family:
                if trials == _TRIALS:
                    break
                trials += 1
                made = self._many(launch, (trial,), report.target, job, _ignore)[trial].report
                if made is not None and made.fits:
                    fitting.append(compile_reports.difference(report.config, made))
                    break
        return compile_reports.with_remedy(outcome.findings, fitting)


def _hashable(value: Any) -> Any:
    # `extern_libs` is a mapping; Triton takes pairs as well.
    return tuple(sorted(value.items())) if isinstance(value, dict) else value


def _whole(launch: CapturedLaunch, config: Config | None) -> Config:
    # What was launched is compiled as it was, also where no knob would take its value.
    if config is None or config == launch.info.config:
        return launch.info.config
    return validated(config, launch.info.knobs)


def _arguments(made: Hosted) -> dict[str, Any]:
    """Return a launch's arguments under a config, as the kernel would see them."""
    arguments = dict(made.arguments)
    hook = getattr(made.launch.chosen, "pre_hook", None)
    described = [name for name, value in arguments.items() if hasattr(value, "block_shape")]
    if hook is not None and described:
        # A tuning config's own hook adapts descriptors to the blocks. It may also write to tensors,
        # so it is shown stand-ins without memory.
        shown = {
            name: replace_tensors(value, lambda tensor: tensor.to("meta"))
            for name, value in arguments.items()
        }
        hook({**shown, **made.effective.as_dict()})
        arguments.update({name: shown[name] for name in described})
    return arguments


def _sendable(
    rebound: Mapping[str, Mapping[str, Any]],
) -> tuple[tuple[str, str, Spec], ...]:
    """Return the rebound globals that another process can be told of."""
    told = []
    for module, values in rebound.items():
        for name, value in values.items():
            # What is no plain value (a tensor, a function typed into the console) stays here.
            if isinstance(value, _TOLD):
                told.append((module, name, encode(value)))
    return tuple(sorted(told))


_TOLD = (bool, int, float, str, triton.language.constexpr, triton.language.dtype, torch.dtype)


def _again(
    outcome: CompileOutcome, launch: CapturedLaunch, config: Config, *, hit: bool = True
) -> CompileOutcome:
    """Return a kept outcome as that of `config`, which may have been called something else."""
    if outcome.report is None:
        return outcome
    report = replace(
        outcome.report, launch=launch.info.index, config=config,
        cache_hit=hit or outcome.report.cache_hit,
    )  # fmt: skip
    return replace(outcome, report=report)


def _unsendable(launch: CapturedLaunch, error: ArgumentError) -> Finding:
    return Finding(
        "error", "compile", str(error),
        "the compile worker is another process: define the class in a module that can be imported",
        launch.info.file, launch.info.line,
    )  # fmt: skip


def _ignore(_config: Config, _outcome: CompileOutcome) -> None:
    """Take note of nothing."""
