"""Compiling a launch under any config for any target, and what the compiler made of it."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playground.engine import compile_reports, hosting, source_lines, target_support
from playground.engine.compile_messages import (
    Answer,
    ArgumentError,
    Order,
    UseFile,
)
from playground.engine.compile_orders import order_of, sendable, unsendable
from playground.engine.compile_outcome import Asm, CompileOutcome, StageError
from playground.engine.compile_pool import WorkerPool
from playground.engine.compile_trials import TRIALS, with_remedies
from playground.engine.job import CancelledError, Job
from playground.engine.kept_outcomes import KeptOutcomes
from playground.model.config import Config, validated
from playground.model.outline import Driver
from playground.model.targets import facts_for, parse_target
from playground.protocol.messages import Ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from playground.engine.capture import CapturedLaunch
    from playground.engine.compile_process import WorkerProcess
    from playground.engine.hosting import Hosted
    from playground.model.compilations import Pass
    from playground.model.device import DeviceInfo
    from playground.model.finding import Finding
    from playground.model.targets import Gpu


Wanted = tuple[Config, str]
"""A config and the target to compile it for."""

_TRIALS_A_TARGET = 2
"""Where many targets are compiled for, the first guess of each kind must do."""


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
        self._kept = KeptOutcomes()

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
            sendable(rebound or {}), self._environment_now(),
        )  # fmt: skip
        self._kept.clear()

    def serve(self, hosted: Callable[[CapturedLaunch, Config], Hosted]) -> None:
        """Compile for another session from now on: `hosted` makes its launches."""
        self._hosted = hosted
        self._kept.clear()

    def _environment_now(self) -> tuple[tuple[str, str | None], ...]:
        """Return what has changed in the environment since the workers may have started."""
        for name in {*self._environment, *os.environ}:
            value = os.environ.get(name)
            if value != self._environment.get(name) or name in self._environment_told:
                self._environment_told[name] = value
        return tuple(sorted(self._environment_told.items()))

    @property
    def file(self) -> UseFile:
        """The file in use, as a worker is told of it."""
        return self._used()

    def prestart(self) -> None:
        """Start the first worker now, in the background, so that the first compile is quicker."""
        self._pool.prestart(self._used())

    def adopt(self, workers: Iterable[WorkerProcess], environment: Mapping[str, str]) -> None:
        """Take over workers that were started in this environment; what changed since is told."""
        self._environment = dict(environment)
        self._pool.adopt(workers)

    def start_all(self, spared: int = 0) -> None:
        """Start every worker but `spared` now, in the background: a sweep is about to come."""
        self._pool.start_all(spared)

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

    def kept_to(self, cores: Iterable[int]) -> contextlib.AbstractContextManager[None]:
        """Let the workers use these cores only meanwhile."""
        return self._pool.kept_to(cores)

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
        config, name = _whole(launch, config), self._named(target)
        outcome = self._each(launch, ((config, name),), job, _ignore)[config, name]
        return self._with_remedies(launch, {name: outcome}, job, TRIALS)[name]

    def compile_targets(
        self,
        launch: CapturedLaunch,
        config: Config | None,
        targets: Iterable[str],
        job: Job | None = None,
        on_done: Callable[[str, CompileOutcome], None] | None = None,
    ) -> dict[str, CompileOutcome]:
        """Compile one config for all targets in parallel; `on_done` is called here as each ends.

        What `on_done` is told of a config that does not fit holds no remedy yet: those are searched
        for at the end. Raises as `compile` does.
        """
        job = job or Job()
        config = _whole(launch, config)
        names = [self._named(target) for target in targets]
        report = on_done or _ignore

        def done(wanted: Wanted, outcome: CompileOutcome) -> None:
            report(wanted[1], outcome)

        made = self._each(launch, tuple((config, name) for name in names), job, done)
        outcomes = {name: made[config, name] for name in names}
        return self._with_remedies(launch, outcomes, job, _TRIALS_A_TARGET)

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
        asked = {_whole(launch, config): config for config in configs}
        name = self._named(target)
        report = on_done or _ignore

        def done(wanted: Wanted, outcome: CompileOutcome) -> None:
            report(asked[wanted[0]], outcome)

        pairs = tuple((config, name) for config in asked)
        outcomes = self._each(launch, pairs, job or Job(), done)
        return {asked[config]: outcome for (config, _), outcome in outcomes.items()}

    def compile_ahead(
        self,
        more: Callable[[], Iterable[Order] | None],
        on_done: Callable[[Order], None],
        job: Job,
    ) -> None:
        """Put what is ordered into Triton's cache, where another process will look for it.

        Parameters
        ----------
        more
            Asked again and again for new orders; None ends it, with what is under way.
        on_done
            Told here of each that has ended, well or not.

        Raises
        ------
        CancelledError
            The job was cancelled; what is still being compiled is given up.
        """

        def pairs() -> list[tuple[Order, Order]] | None:
            orders = more()
            return None if orders is None else [(order, order) for order in orders]

        try:
            self._pool.run((), self._used(), job, lambda order, _answer: on_done(order), pairs)
        except CancelledError:
            self._pool.end_busy()
            raise

    def ir(
        self,
        launch: CapturedLaunch,
        config: Config | None,
        stage: str,
        target: str | None = None,
        job: Job | None = None,
    ) -> Ir:
        """Return one stage's text and the source lines behind each of its lines.

        Raises
        ------
        StageError
            The config does not compile that far, or the target has no such stage.
        """
        return self.ir_reader(launch, config, stage, target, job)()

    def ir_reader(
        self,
        launch: CapturedLaunch,
        config: Config | None,
        stage: str,
        target: str | None = None,
        job: Job | None = None,
    ) -> Callable[[], Ir]:
        """Compile a launch, unless it is kept; return what reads a stage of it, in any thread.

        Raises as `ir` does.
        """
        outcome = self.compile(launch, config, target, job)
        if stage not in outcome.stages:
            known = ", ".join(outcome.stages)
            if outcome.report is None:
                reasons = "; ".join(finding.text() for finding in outcome.findings)
                reached = f" (there is {known})" if known else ""
                raise StageError(f"no {stage}{reached}: {reasons}")
            raise StageError(f"{outcome.report.target} has no stage {stage}; it has {known}")
        file = launch.info.file

        def read() -> Ir:
            text = str(outcome.asm[stage])
            return Ir(stage, text, source_lines.lines_for(stage, text, file))

        return read

    def passes(
        self,
        launch: CapturedLaunch,
        config: Config | None = None,
        target: str | None = None,
        job: Job | None = None,
        *,
        llvm: bool = False,
    ) -> tuple[tuple[Pass, ...], tuple[Finding, ...]]:
        """Compile once more, past every cache; return what each pass changed, and why it failed.

        Raises as `compile` does.
        """
        config, name = _whole(launch, config), self._named(target)
        refused = target_support.refusal(launch.info, name)
        if refused is not None:
            return (), (refused,)
        try:
            order = self._order(launch, self._hosted(launch, config), name)
        except ArgumentError as error:
            return (), (unsendable(launch, error),)
        found: list[Answer] = []
        asked = replace(order, passes="llvm" if llvm else "mlir")
        self._pool.run(
            [(asked, asked)],
            self._used(),
            job or Job(),
            lambda _order, answer: found.append(answer),
        )
        if found[0].product is not None:
            return found[0].passes, ()
        # What the compiler said of the failure is lost among what it wrote down: it is asked again.
        return found[0].passes, self.compile(launch, config, name, job).findings

    def _with_remedies(
        self, launch: CapturedLaunch, outcomes: dict[str, CompileOutcome], job: Job, most: int
    ) -> dict[str, CompileOutcome]:
        def compile_them(trials: tuple[Wanted, ...]) -> dict[Wanted, CompileOutcome]:
            return self._each(launch, trials, job, _ignore)

        return with_remedies(launch.info, outcomes, compile_them, most)

    def close(self) -> None:
        """End every worker process."""
        self._pool.close()

    def _named(self, target: str | None) -> str:
        return parse_target(target or self._device.target).name

    def _each(
        self,
        launch: CapturedLaunch,
        pairs: tuple[Wanted, ...],
        job: Job,
        on_done: Callable[[Wanted, CompileOutcome], None],
    ) -> dict[Wanted, CompileOutcome]:
        """Compile every config for its target; the outcomes are in no order."""
        outcomes: dict[Wanted, CompileOutcome] = {}
        # Two configs may be one order: a heuristic may set what they differ in.
        waiting: dict[Order, list[Wanted]] = {}
        grids: dict[Config, tuple[int, int, int]] = {}

        def done(wanted: Wanted, outcome: CompileOutcome) -> None:
            outcomes[wanted] = outcome
            on_done(wanted, outcome)

        for wanted in pairs:
            job.check()
            refused = target_support.refusal(launch.info, wanted[1])
            if refused is not None:
                done(wanted, CompileOutcome(None, (refused,)))
                continue
            made = self._hosted(launch, wanted[0])
            try:
                order = self._order(launch, made, wanted[1])
            except ArgumentError as error:
                done(wanted, CompileOutcome(None, (unsendable(launch, error),), undecided=True))
                continue
            with contextlib.suppress(Exception):  # the user's own function, of an unusual config
                grids[wanted[0]] = made.size
            kept = self._kept.get(order)
            if kept is None:
                waiting.setdefault(order, []).append(wanted)
            else:
                done(wanted, self._again(kept, launch, wanted, grids.get(wanted[0])))

        def answered(order: Order, answer: Answer) -> None:
            first = waiting[order][0]
            outcome = self._outcome(launch, first, answer)
            if answer.product is not None or not answer.load_failed:
                self._kept.keep(order, outcome)
            for wanted in waiting[order]:
                grid = grids.get(wanted[0])
                done(wanted, self._again(outcome, launch, wanted, grid, hit=wanted is not first))

        self._pool.run([(order, order) for order in waiting], self._used(), job, answered)
        return outcomes

    def _order(self, launch: CapturedLaunch, made: Hosted, target: str) -> Order:
        # A method, because what compiles an edited text moves the order to that text's lines.
        return order_of(launch, made, target)

    def _used(self) -> UseFile:
        if self._use is None:
            raise RuntimeError("no file is in use: call use(path, text) before compiling")
        return self._use

    def _outcome(self, launch: CapturedLaunch, wanted: Wanted, answer: Answer) -> CompileOutcome:
        if answer.product is None:
            findings = target_support.told(answer.findings, wanted[1])
            return CompileOutcome(None, findings, Asm(answer.stages), undecided=answer.undecided)
        config, target = wanted
        report, findings = compile_reports.report(
            launch.info, config, target, answer.product, self._gpu(target)
        )
        return CompileOutcome(report, findings, Asm(answer.product.asm))

    def _gpu(self, target: str) -> Gpu | None:
        return facts_for(target, self._device.name if self._device.target == target else "")

    def _again(
        self,
        outcome: CompileOutcome,
        launch: CapturedLaunch,
        wanted: Wanted,
        grid: tuple[int, int, int] | None,
        *,
        hit: bool = True,
    ) -> CompileOutcome:
        """Return an outcome as that of a config which may have been called something else."""
        if outcome.report is None:
            return outcome
        config, target = wanted
        report = replace(
            outcome.report, launch=launch.info.index, config=config,
            cache_hit=hit or outcome.report.cache_hit,
        )  # fmt: skip
        here = self._device.target == target and self._device.mode == "gpu"
        own = (self._device.multiprocessors or 0) if here else 0
        report = compile_reports.with_waves(report, grid, self._gpu(target), own)
        return replace(outcome, report=report)


def _whole(launch: CapturedLaunch, config: Config | None) -> Config:
    # What was launched is compiled as it was, also where no knob would take its value.
    if config is None or config == launch.info.config:
        return launch.info.config
    return validated(config, launch.info.knobs)


def _ignore(_wanted: object, _outcome: CompileOutcome) -> None:
    """Take note of nothing."""
