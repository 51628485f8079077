"""The session: one kernel file, its launches, and everything that can be done with them.

The window drives it through messages, the console as `play`, programs through `playground.open`.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.engine import fingerprint, helper_modules, loading, machine, surroundings
from playground.engine.findings import (
    FatalError,
    finding_from_exception,
    is_fatal,
)
from playground.engine.job import Job
from playground.engine.kept import Kept
from playground.engine.launches import Last, LaunchList
from playground.engine.session_timing import TimingVerbs
from playground.engine.source_text import read_source
from playground.model.outline import Driver, Outline, outline, syntax_finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.checking import Expected
    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.compiling import Compiler
    from playground.engine.host_code import Edit
    from playground.engine.hosting import Hosted
    from playground.engine.replay import PreparedReplay
    from playground.model.config import Config
    from playground.model.coverage import Coverage
    from playground.model.device import DeviceInfo
    from playground.model.finding import Finding, Stage
    from playground.model.knobs import KnobValue
    from playground.model.measurement import CacheMode
    from playground.model.sweep import SweepResult
    from playground.protocol import messages

    Reference = tuple[list[Expected], tuple[Finding, ...]]

STEPS: tuple[messages.Step, ...] = ("compile", "check", "measure", "coverage")


class Session(TimingVerbs):
    """One kernel file and its launches.

    Parameters
    ----------
    device
        What to run on; found out by itself when left out.

    Raises
    ------
    interpreting.EngineModeError
        There is no GPU, and Triton was imported before `TRITON_INTERPRET=1` was set.
    """

    def __init__(self, device: DeviceInfo | None = None) -> None:
        machine.prepare_environment()
        fingerprint.complete_cache_keys()
        self.device = device if device is not None else machine.device_info()
        self._lasting = contextlib.ExitStack()
        if self.device.mode == "interpreter":
            from playground.engine.interpreting import interpreting

            self._lasting.enter_context(interpreting(self))
        self.path = ""
        self.text = ""
        self.outline = Outline()
        self.driver: Driver | None = None
        self.sizes: dict[str, int] = {}
        self.namespace: dict[str, Any] = {}
        self.launches: LaunchList = LaunchList()
        self.findings: tuple[Finding, ...] = ()
        self.result: Any = None
        self.last = Last()
        self._compiler: Compiler | None = None
        self._compiler_is_current = False
        self.seed = 0
        self.random_state: dict[str, Any] = {}
        self.surroundings = surroundings.Surroundings()
        self.user_files: tuple[str, ...] = ()
        self.changes = fingerprint.Changes()
        self._when_run = self._when_answered = fingerprint.State()
        self.kept = Kept()

    def __repr__(self) -> str:
        name = Path(self.path).name if self.path else "no file"
        lines = [f"<play: {name} on {self.device.badge()}, {len(self.launches)} launches>"]
        if self.launches:
            lines.append(repr(self.launches))
        return "\n".join(lines)

    # ------------------------------------------------------------------ file and run

    def load(self, path: str | Path, text: str | None = None) -> Outline:
        """Take a file, or other text for it, without executing anything.

        Raises
        ------
        OSError
            The file cannot be read and no text was given.
        """
        self.path = os.path.abspath(path)
        try:
            self.text = read_source(self.path) if text is None else text.removeprefix("\ufeff")
            self.outline = outline(self.text, self.path)
        except SyntaxError as error:  # its bytes are no text
            self.text, self.outline = "", Outline(findings=(syntax_finding(error, self.path),))
        self.driver = self._driver(None)
        self._compiler_is_current = False
        return self.outline

    def run(
        self,
        driver: Driver | str | None = None,
        sizes: Mapping[str, int] | None = None,
        job: Job | None = None,
        *,
        benchmarks: bool = False,
        tuning: bool = False,
    ) -> messages.RunResult:
        """Execute the text in a fresh module, then the driver, and capture every launch.

        Parameters
        ----------
        driver
            Python code such as `example(size=1000)`; empty for the `__main__` block; None for the
            first driver that the file offers.
        sizes
            Problem sizes put into the driver's call of `example`.
        benchmarks
            Let the file's own benchmarks run (`do_bench`, `perf_report`, timing loops).
        tuning
            Let its autotuners time their configs.
        """
        from playground.engine import running

        self._forget()
        self.surroundings = surroundings.Surroundings(benchmarks, tuning)
        self.driver = self._driver(driver)
        self.sizes = dict(sizes or {})
        self._compiler_is_current = False
        try:
            return running.run(self, job or Job())
        finally:
            self.user_files = helper_modules.user_files(self.path)
            self._when_run = fingerprint.taken(self.namespace, self.user_files)
            self._when_answered = self._when_run

    def _driver(self, given: Driver | str | None) -> Driver | None:
        if isinstance(given, Driver):
            return given
        if given is None:
            return self.outline.drivers[0] if self.outline.drivers else None
        for offered in self.outline.drivers:
            if offered.code.strip() == given.strip():
                return offered
        if not given.strip():
            return None
        return Driver("typed", given.strip().splitlines()[0], given)

    # ------------------------------------------------------------------ replays

    def prepare(
        self, launch: int = 0, config: Config | None = None, **knobs: KnobValue
    ) -> PreparedReplay:
        """Return a launch ready to run under a config: its captured one, with `knobs` changed."""
        from playground.engine import replay

        captured, config = self.chosen(launch, config, knobs)
        key = (captured.info.index, config)
        prepared = self.kept.replays.get(key)
        if prepared is None:
            with surroundings.as_in_the_run(self):
                prepared = replay.prepare(captured, config, self)
            self.kept.keep_replay(key, prepared)
        else:
            self.kept.replays.move_to_end(key)
            prepared.restore()
        return prepared

    def compile(
        self,
        launch: int = 0,
        config: Config | None = None,
        target: str | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> CompileOutcome:
        """Compile a launch under a config for a target: the machine's GPU when left out."""
        captured, config = self.chosen(launch, config, knobs)
        target = target or self.device.target
        key = (captured.info.index, config, target)
        outcome = self.kept.outcomes.get(key)
        if outcome is None:
            outcome = self.compiler.compile(captured, config, target, job or Job())
            self.kept.keep_outcome(key, outcome)
        self.last_of(captured, config).outcome = outcome
        return outcome

    def check(
        self,
        launch: int = 0,
        config: Config | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> messages.Checked:
        """Run a launch once under a config and compare its result."""
        captured, config = self.chosen(launch, config, knobs)
        checked = self.verdict_on(captured, config, job or Job())
        self.last_of(captured, config).check = checked.result
        return checked

    def coverage(
        self,
        launch: int = 0,
        config: Config | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> Coverage:
        """Count what every program of a launch loads and stores under a config."""
        from playground.engine import coverage
        from playground.engine.replay import put_back_after

        captured, config = self.chosen(launch, config, knobs)
        key = (captured.info.index, config)
        counts = self.kept.counts.get(key)
        if counts is None:
            job = job or Job()
            with self.guarded(job), put_back_after(self.prepare(launch, config)) as prepared:
                counts = coverage.count(prepared, job)
            self.kept.keep_counts(key, counts)
        summary = counts.summary()
        self.last_of(captured, config).coverage = summary
        return summary

    def replay(
        self,
        launch: int = 0,
        config: Config | None = None,
        steps: Sequence[messages.Step] = STEPS,
        job: Job | None = None,
        revision: int = 0,
        budget_ms: float = 100.0,
        cache: CacheMode = "cold",
        target: str | None = None,
        **knobs: KnobValue,
    ) -> Last:
        """Do `steps` for a launch under a config; each step's reply is sent as soon as it is there.

        A step that fails sends its finding and ends the replay, except that a config which does not
        compile for `target` may still run where another machine would.

        Returns
        -------
        Last
            What came out: `outcome`, `check`, `measurement`, `coverage` and `findings`.
        """
        from playground.engine.replaying import Replaying

        captured, config = self.chosen(launch, config, knobs)
        self.last = Last(launch=captured.info, config=config)
        return Replaying(
            self, captured.info.index, config, job or Job(), revision, budget_ms, cache, target
        ).perform(steps)

    def sweep(
        self,
        launch: int = 0,
        configs: Sequence[Config] | None = None,
        target: str | None = None,
        budget_ms: float = 50.0,
        job: Job | None = None,
    ) -> SweepResult:
        """Try every config; without any, those the file offers, else steps around the captured."""
        from playground.engine import sweep
        from playground.model.sweep import own_space

        chosen = own_space(self.launches[launch].info) if configs is None else configs
        return sweep.run_sweep(self, launch, chosen, target, budget_ms, job or Job())

    def export(
        self,
        launch: int = 0,
        config: Config | None = None,
        *,
        keep_autotune: bool = False,
        **knobs: KnobValue,
    ) -> messages.Exported:
        """Return the text of a `.py` that runs alone with the config frozen into it.

        With `keep_autotune` the kernel's autotuner keeps its configs, the frozen one first.
        """
        from playground.engine import export

        captured, config = self.chosen(launch, config, knobs)
        return export.export(self, captured.info.index, config, keep_autotune=keep_autotune)

    # ------------------------------------------------------------------ parts that others use

    @property
    def compiler(self) -> Compiler:
        """The compile workers, told of the file as it is now."""
        from playground.engine.compiling import Compiler

        if self._compiler is None:
            self._compiler = Compiler(self.device, self.hosted)
        if not self._compiler_is_current:
            self._compiler.use(self.path, self.text, self.driver, self.sizes, self.changes.globals)
            self._compiler_is_current = True
        return self._compiler

    def compiled_figures(
        self, function: Any, arguments: dict[str, Any], options: dict[str, Any]
    ) -> CompileOutcome:
        """Compile for a script that reads registers or assembly of an interpreted launch."""
        from playground.engine.capture import Capture

        recorder = Capture(self.device.target, (self.path,))
        described = recorder.described(function, function, (), {**arguments, **options}, (1,), None)
        return self.compiler.compile(described, described.info.config, self.device.target, Job())

    def finding(self, error: BaseException, stage: Stage) -> Finding:
        """Return `error` as a finding with a place in the user's files."""
        files = helper_modules.user_files(self.path) if self.path else ()
        return finding_from_exception(error, stage, user_files=files)

    def is_fatal(self, error: BaseException) -> bool:
        """Tell whether `error` leaves this process unusable."""
        return is_fatal(error)

    def hosted(self, launch: CapturedLaunch, config: Config) -> Hosted:
        """Return a launch as the host code makes it under a config; worked out once."""
        from playground.engine import hosting

        key = (launch, config)
        found = self.kept.hosted.get(key)
        if found is None:
            with surroundings.as_in_the_run(self):
                found = hosting.hosted(self, launch, config)
            self.kept.keep_hosted(key, found)
        return found

    def rerun_host(self, launch: CapturedLaunch, edits: Sequence[Edit]) -> CapturedLaunch | None:
        """Return the launch as the host code makes it with edits, or None when it cannot."""
        from playground.engine.rehost import rerun

        return rerun(self, launch, edits)

    def verdict_on(self, launch: CapturedLaunch, config: Config, job: Job) -> messages.Checked:
        """Return the verdict on a launch under a config, from an earlier check if there was one."""
        key = (launch.info.index, config)
        if key not in self.kept.checked:
            from playground.engine.verdict import judged

            with surroundings.as_in_the_run(self):
                self.kept.checked[key] = judged(self, launch, config, job)
        return self.kept.checked[key]

    def expected(self) -> Reference:
        """Return the reference's tensors paired with those the driver returned; computed once."""
        if self.kept.expected is None:
            from playground.engine.reference_value import expected

            self.kept.expected = expected(self)
        return self.kept.expected

    @contextlib.contextmanager
    def as_before_the_driver(self) -> Iterator[None]:
        """Give random generators the state they had before the run, and put today's back."""
        from playground.engine.randomness import in_state

        with (
            in_state(self.random_state),
            loading.script_arguments(self.path),
            surroundings.as_in_the_run(self),
        ):
            yield

    def close(self) -> None:
        """End the compile workers and undo what the session changed in this process."""
        if self._compiler is not None:
            self._compiler.close()
            self._compiler = None
        self._forget()
        self._lasting.close()

    # ------------------------------------------------------------------ inside

    def chosen(
        self, launch: int, config: Config | None, knobs: Mapping[str, KnobValue]
    ) -> tuple[CapturedLaunch, Config]:
        """Return a captured launch and the config meant: the captured one unless given, changed.

        Answers that something outside the text has made old are forgotten first.
        """
        if not self.launches:
            raise LookupError("no launch was captured yet: run the file first (play.run())")
        from playground.engine.hosting import settled

        self._notice_changes()
        captured = self.launches[launch]
        base = config if config is not None else captured.info.config
        return captured, settled(captured, base.updated(knobs))

    def _notice_changes(self) -> None:
        """Forget every answer that something outside the text has made old.

        A helper that was edited on disk means other code: the file runs again.
        """
        found = fingerprint.changes(self._when_answered, self.namespace)
        if not found:
            return
        if found.files:
            around = self.surroundings
            self.run(self.driver, self.sizes, benchmarks=around.benchmarks, tuning=around.tuning)
            return
        from playground.engine.triton_private.settings import forget_compiled

        self.changes = fingerprint.changes(self._when_run, self.namespace)
        self._when_answered = fingerprint.taken(self.namespace, self.user_files)
        self._compiler_is_current = False
        self.kept = Kept()
        forget_compiled()

    def last_of(self, launch: CapturedLaunch, config: Config) -> Last:
        """Return what the console shows as the last result, begun anew for another config."""
        if self.last.launch is not launch.info or self.last.config != config:
            self.last = Last(launch.info, config)
        return self.last

    @contextlib.contextmanager
    def watched(self, job: Job) -> Iterator[None]:
        """Let `job` be cancelled where that is possible within a launch."""
        if self.device.mode != "interpreter":
            yield
            return
        from playground.engine import interpreting

        with interpreting.watched(job):
            yield

    @contextlib.contextmanager
    def guarded(self, job: Job) -> Iterator[None]:
        """Say at once when an error has made this process unusable, and stop when cancelled."""
        try:
            with self.watched(job), surroundings.as_in_the_run(self):
                yield
            self.synchronize()
        except Exception as error:
            if self.is_fatal(error) and not isinstance(error, FatalError):
                raise FatalError(str(error)) from error
            raise

    def synchronize(self) -> None:
        """Wait for the GPU, so that what went wrong there is raised here."""
        if self.device.mode == "gpu":
            import torch

            torch.cuda.synchronize()

    def _forget(self) -> None:
        from playground.engine.triton_private import wrappers

        if self.namespace:
            wrappers.forget_rewritten(self.namespace)
        self.namespace = {}
        self.launches = LaunchList()
        self.findings = ()
        self.result = None
        self.last = Last()
        self.changes = fingerprint.Changes()
        self.kept = Kept()
