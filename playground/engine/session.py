"""The session: one kernel file, its launches, and everything that can be done with them.

The window drives it through messages, the console as `play`, programs through `playground.open`.
"""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.engine import drivers, fingerprint, loading, machine, surroundings
from playground.engine.findings import (
    FatalError,
    finding_from_exception,
    is_fatal,
)
from playground.engine.job import Job
from playground.engine.launches import Last, LaunchList
from playground.engine.source_text import read_source
from playground.model.config import Config
from playground.model.outline import Driver, Outline, outline, syntax_finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.checking import Expected
    from playground.engine.compiling import CompileOutcome, Compiler
    from playground.engine.counters import Counts
    from playground.engine.entries import Entries
    from playground.engine.host_code import Edit
    from playground.engine.hosting import Hosted
    from playground.engine.replay import PreparedReplay, WorkingSet
    from playground.model.comparison import Comparison
    from playground.model.coverage import Coverage
    from playground.model.curve import Axis, Curve, Line, OwnBenchmark
    from playground.model.device import DeviceInfo
    from playground.model.finding import Finding, Stage
    from playground.model.knobs import KnobValue
    from playground.model.measurement import CacheMode, Energy, HostCost, Measurement
    from playground.model.nsight import NsightReport
    from playground.model.roofline import Ceilings, Standing
    from playground.model.sweep import SweepResult
    from playground.protocol import messages

    Reference = tuple[list[Expected], tuple[Finding, ...]]

Key = tuple[int, Config]
STEPS: tuple[messages.Step, ...] = ("compile", "check", "measure", "coverage")
_KEPT_REPLAYS = 64
_KEPT_HOSTED = 64
_KEPT_COUNTS = 16
_KEPT_COUNTS_BYTES = 4 << 30
_KEPT_WORKING_SETS = 4


class Session:
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
        self.counts: OrderedDict[Key, Counts] = OrderedDict()
        self._compiler: Compiler | None = None
        self._compiler_is_current = False
        self.seed = 0
        self.random_state: dict[str, Any] = {}
        self.surroundings = surroundings.Surroundings()
        self.user_files: tuple[str, ...] = ()
        self.changes = fingerprint.Changes()
        self._when_run = self._when_answered = fingerprint.State()
        self._expected: Reference | None = None
        self._reset_results()

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
            self.user_files = loading.user_files(self.path)
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

        captured, config = self._chosen(launch, config, knobs)
        key = (captured.info.index, config)
        prepared = self._replays.get(key)
        if prepared is None:
            with surroundings.as_in_the_run(self):
                prepared = replay.prepare(captured, config, self)
            self._replays[key] = prepared
            _bound(self._replays, _KEPT_REPLAYS)
        else:
            self._replays.move_to_end(key)
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
        captured, config = self._chosen(launch, config, knobs)
        target = target or self.device.target
        key = (captured.info.index, config, target)
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self.compiler.compile(captured, config, target, job or Job())
            self._outcomes[key] = outcome
            _bound(self._outcomes, _KEPT_REPLAYS)
        self._last_of(captured, config).outcome = outcome
        return outcome

    def check(
        self,
        launch: int = 0,
        config: Config | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> messages.Checked:
        """Run a launch once under a config and compare its result."""
        captured, config = self._chosen(launch, config, knobs)
        checked = self.verdict_on(captured, config, job or Job())
        self._last_of(captured, config).check = checked.result
        return checked

    def bench(
        self,
        launch: int = 0,
        config: Config | None = None,
        budget_ms: float = 200.0,
        cache: CacheMode = "cold",
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> Measurement:
        """Time a launch under a config; with a GPU its bytes are counted first, for bandwidth."""
        job = job or Job()
        captured, config = self._chosen(launch, config, knobs)
        if self.device.mode == "gpu":
            self.coverage(launch, config, job)
        return self.measure(captured.info.index, config, budget_ms, cache, job)

    def measure(
        self, launch: int, config: Config, budget_ms: float, cache: CacheMode, job: Job
    ) -> Measurement:
        """Time a launch under a config; bytes are filled in where it was counted already."""
        measurement = self._timed(launch, config, budget_ms, cache, job)
        self._measured[(launch, config)] = measurement
        self._last_of(self.launches[launch], config).measurement = measurement
        return measurement

    def _timed(
        self, launch: int, config: Config, budget_ms: float, cache: CacheMode, job: Job
    ) -> Measurement:
        from playground.engine import timing
        from playground.engine.replay import put_back_after

        counted, exact = self._counted(launch, config, job)
        with self.guarded(job), put_back_after(self.prepare(launch, config)) as prepared:
            measurement = timing.measure(
                prepared, budget_ms=budget_ms, cache=cache, job=job, counted=counted
            )
        if not exact:
            measurement = replace(measurement, bytes_requested=None, bytes_unique=None, flops=None)
        return measurement

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

        captured, config = self._chosen(launch, config, knobs)
        key = (captured.info.index, config)
        counts = self.counts.get(key)
        if counts is None:
            job = job or Job()
            with self.guarded(job), put_back_after(self.prepare(launch, config)) as prepared:
                counts = coverage.count(prepared, job)
            self.counts[key] = counts
            _bound(self.counts, _KEPT_COUNTS)
            while len(self.counts) > 1 and self._counts_bytes() > _KEPT_COUNTS_BYTES:
                self.counts.popitem(last=False)
        summary = counts.summary()
        self._last_of(captured, config).coverage = summary
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

        captured, config = self._chosen(launch, config, knobs)
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

        captured, config = self._chosen(launch, config, knobs)
        return export.export(self, captured.info.index, config, keep_autotune=keep_autotune)

    def compare(
        self,
        launch: int = 0,
        config: Config | None = None,
        against: Config | str = "reference",
        cache: CacheMode = "cold",
        budget_ms: float = 1000.0,
        more: Comparison | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> Comparison:
        """Time a launch under a config and `against` in turns, and say which is faster.

        Parameters
        ----------
        against
            Another config, `reference`, any expression of torch's over the file's names and the
            launch's arguments, or another file's launch (`other.py`, `other.py:2`).
        more
            An earlier comparison of the same two, to be measured on.

        Raises
        ------
        comparing.NotTimedError
            There is no GPU, the result is wrong, or `against` runs nothing on the GPU.
        """
        from playground.engine import contestants

        captured, config = self._chosen(launch, config, knobs)
        return contestants.compared(
            self, captured.info.index, config, against, cache, budget_ms, more, job or Job()
        )

    def noise_floor(
        self, launch: int, config: Config, cache: CacheMode, job: Job | None = None
    ) -> float:
        """Return how far two runs of a launch differ on this machine, relative; measured once."""
        from playground.engine import noise

        key = (launch, cache)
        if key not in self._floors:
            self._floors[key] = noise.measured_floor(
                lambda budget_ms: self._timed(launch, config, budget_ms, cache, job or Job())
            )
        return self._floors[key]

    def curve(
        self,
        launch: int = 0,
        axes: Axis | Sequence[Axis] = (),
        lines: Sequence[Line] = (),
        cache: CacheMode = "cold",
        budget_ms: float = 50.0,
        before: Curve | None = None,
        job: Job | None = None,
    ) -> Curve:
        """Time a launch over problem sizes (see `model.curve.axis`); `before` is resumed.

        The captured config and the file's `reference` are drawn unless other `lines` are given.
        """
        from playground.engine import curves
        from playground.model.curve import Axis, Line

        if not lines:
            captured = self.launches[launch].info.config
            lines = (Line(captured.label() or "captured", captured),)
            if self.outline.has_reference:
                lines = (*lines, Line("reference", expression="reference"))
        return curves.trace(
            self, launch, (axes,) if isinstance(axes, Axis) else axes, lines,
            cache=cache, budget_ms=budget_ms, job=job or Job(), before=before,
        )  # fmt: skip

    def own_benchmarks(self) -> tuple[OwnBenchmark, ...]:
        """Return the file's own `triton.testing.Benchmark` objects; `own_curve` runs one."""
        from playground.engine import own_curves

        return own_curves.offered(self.namespace)

    def own_curve(
        self,
        name: str,
        cache: CacheMode = "cold",
        budget_ms: float = 50.0,
        before: Curve | None = None,
        job: Job | None = None,
    ) -> Curve:
        """Run a benchmark of the file over its own sizes and lines, timed by our clock."""
        from playground.engine import own_curves

        return own_curves.trace(
            self, name, cache=cache, budget_ms=budget_ms, job=job or Job(), before=before
        )

    def roofline(
        self,
        launch: int = 0,
        config: Config | None = None,
        target: str | None = None,
        *,
        again: bool = False,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> tuple[Ceilings, Standing | None]:
        """Return this GPU's ceilings (or those expected of `target`), and where a launch stands."""
        from playground.engine import analysis

        captured, config = self._chosen(launch, config, knobs)
        index = captured.info.index
        return analysis.under_the_roof(self, index, config, target, again, job or Job())

    def host_cost(
        self, launch: int = 0, config: Config | None = None, job: Job | None = None,
        **knobs: KnobValue,
    ) -> HostCost:  # fmt: skip
        """Return what a launch costs the host: first call, cold start, cached call, in ms."""
        from playground.engine import analysis

        captured, config = self._chosen(launch, config, knobs)
        return analysis.host_cost(self, captured.info.index, config, job or Job())

    def energy(
        self, launch: int = 0, config: Config | None = None, job: Job | None = None,
        **knobs: KnobValue,
    ) -> Energy:  # fmt: skip
        """Return the energy of one launch in joules, from running it for a second or more."""
        from playground.engine import analysis

        captured, config = self._chosen(launch, config, knobs)
        return analysis.energy(self, captured.info.index, config, job or Job())

    def nsight(
        self, launch: int = 0, config: Config | None = None, job: Job | None = None,
        **knobs: KnobValue,
    ) -> NsightReport:  # fmt: skip
        """Run Nsight Compute on exactly this launch and return its figures."""
        from playground.engine import analysis

        captured, config = self._chosen(launch, config, knobs)
        return analysis.nsight(self, captured.info.index, config, job or Job())

    def nsight_command(self, launch: int = 0, config: Config | None = None) -> str:
        """Return the command line that runs Nsight Compute on this launch by hand."""
        from playground.engine import analysis

        captured, config = self._chosen(launch, config, {})
        return analysis.nsight_command(self, captured.info.index, config)

    def counted(self, launch: int, config: Config, job: Job) -> Coverage | None:
        """Return counts that tell whether a launch reads what it writes; of another config too."""
        return self._counted(launch, config, job)[0]

    def _counts_bytes(self) -> int:
        return sum(counts.nbytes for counts in self.counts.values())

    def measured(self, launch: int, config: Config) -> Measurement | None:
        """Return the latest measurement of a launch under a config, if there is one."""
        return self._measured.get((launch, config))

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
        files = loading.user_files(self.path) if self.path else ()
        return finding_from_exception(error, stage, user_files=files)

    def is_fatal(self, error: BaseException) -> bool:
        """Tell whether `error` leaves this process unusable."""
        return is_fatal(error)

    def working_set(self, launch: CapturedLaunch) -> WorkingSet:
        """Return the working copies that all replays of `launch` share."""
        from playground.engine.replay import WorkingSet

        found = self._working.get(launch)
        if found is None:
            found = WorkingSet(launch.snapshot)
            self._working[launch] = found
            for dropped in _bound(self._working, _KEPT_WORKING_SETS):
                # Their replays hold the copies; they are made again when asked for.
                index = dropped.info.index
                for key in [key for key in self._replays if key[0] == index]:
                    del self._replays[key]
        else:
            self._working.move_to_end(launch)
        return found

    def hosted(self, launch: CapturedLaunch, config: Config) -> Hosted:
        """Return a launch as the host code makes it under a config; worked out once."""
        from playground.engine import hosting

        key = (launch, config)
        found = self._hosted.get(key)
        if found is None:
            with surroundings.as_in_the_run(self):
                found = self._hosted[key] = hosting.hosted(self, launch, config)
            _bound(self._hosted, _KEPT_HOSTED)
        return found

    def rerun_host(self, launch: CapturedLaunch, edits: Sequence[Edit]) -> CapturedLaunch | None:
        """Return the launch as the host code makes it with edits, or None when it cannot."""
        from playground.engine.rehost import rerun

        return rerun(self, launch, edits)

    def forget_replays(self, launch: CapturedLaunch) -> None:
        """Drop what was prepared for a launch: where its knobs enter is known better now."""
        for key in [key for key in self._replays if key[0] == launch.info.index]:
            del self._replays[key]
        for made in [made for made in self._hosted if made[0] is launch]:
            del self._hosted[made]
        kept: Any
        for kept in (self._outcomes, self._measured, self.counts):
            for old in [key for key in kept if key[0] == launch.info.index]:
                del kept[old]

    def verdict_on(self, launch: CapturedLaunch, config: Config, job: Job) -> messages.Checked:
        """Return the verdict on a launch under a config, from an earlier check if there was one."""
        key = (launch.info.index, config)
        if key not in self._checked:
            from playground.engine.verdict import judged

            with surroundings.as_in_the_run(self):
                self._checked[key] = judged(self, launch, config, job)
        return self._checked[key]

    def expected(self) -> Reference:
        """Return the reference's tensors paired with those the driver returned; computed once.

        A reference that raises is a finding, and the captured result stands in for it.
        """
        if self._expected is None:
            try:
                self._expected = self._computed_reference(), ()
            except Exception as error:
                if self.is_fatal(error):
                    raise
                finding = replace(self.finding(error, "check"), severity="warning")
                finding = replace(finding, message=f"reference() failed: {finding.message}")
                self._expected = [], (finding,)
        return self._expected

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

    def _chosen(
        self, launch: int, config: Config | None, knobs: Mapping[str, KnobValue]
    ) -> tuple[CapturedLaunch, Config]:
        if not self.launches:
            raise LookupError("no launch was captured yet: run the file first (play.run())")
        from playground.engine.hosting import settled

        self._notice_changes()
        captured = self.launches[launch]
        base = config if config is not None else captured.info.config
        return captured, settled(captured, base.updated(knobs))

    def _new_entries(self) -> Entries:
        from playground.engine.entries import Entries

        return Entries()

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
        self.counts.clear()
        self._reset_results()
        forget_compiled()

    def _computed_reference(self) -> list[Expected]:
        from playground.engine.checking import pair_up

        if self.driver is None or self.result is None:
            return []
        code = drivers.reference_code(
            drivers.with_sizes(self.driver.code, self.sizes), self.namespace
        )
        if code is None:
            return []
        with self.as_before_the_driver():
            want = drivers.run_driver(code, self.namespace)
        return list(pair_up(self.result, want))

    def _last_of(self, launch: CapturedLaunch, config: Config) -> Last:
        if self.last.launch is not launch.info or self.last.config != config:
            self.last = Last(launch.info, config)
        return self.last

    def _counted(self, launch: int, config: Config, job: Job) -> tuple[Coverage | None, bool]:
        """Return counts for timing `config`, and whether they are its own.

        Timing must know whether the kernel reads what it writes; that is so under every config.
        """
        own = self.counts.get((launch, config))
        if own is not None:
            return own.summary(), True
        for key, other in self.counts.items():
            if key[0] == launch:
                return other.summary(), False
        if self.device.mode == "gpu":
            return self.coverage(launch, config, job), True
        return None, True

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
        self.counts.clear()
        self._reset_results()

    def _reset_results(self) -> None:
        self._replays: OrderedDict[Key, PreparedReplay] = OrderedDict()
        self._working: OrderedDict[CapturedLaunch, WorkingSet] = OrderedDict()
        self._outcomes: OrderedDict[tuple[int, Config, str], CompileOutcome] = OrderedDict()
        self._checked: dict[Key, messages.Checked] = {}
        self._measured: dict[Key, Measurement] = {}
        self._floors: dict[tuple[int, CacheMode], float] = {}
        self._hosted: OrderedDict[tuple[CapturedLaunch, Config], Hosted] = OrderedDict()
        self.entries: Entries = self._new_entries()
        self._expected = None


def _bound(cache: OrderedDict[Any, Any], most: int) -> list[Any]:
    """Drop the entries used longest ago until `most` are left; return the keys dropped."""
    dropped = []
    while len(cache) > most:
        dropped.append(cache.popitem(last=False)[0])
    return dropped
