"""The session: one kernel file, its launches, and everything that can be done with them.

The window drives it through messages, the console as `play`, programs through `playground.open`.
"""

from __future__ import annotations

import contextlib
import gc
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.engine import fingerprint, helper_modules, loading, machine, printing, surroundings
from playground.engine.earlier import Earlier
from playground.engine.findings import FatalError, finding_from_exception, is_fatal
from playground.engine.interpreting import in_mode
from playground.engine.job import CancelledError, Job
from playground.engine.kept import Kept
from playground.engine.launches import Last, LaunchList
from playground.engine.session_advice import AdviceVerbs
from playground.engine.session_code import CodeVerbs
from playground.engine.session_compilations import CompilationVerbs
from playground.engine.session_debugging import DebugVerbs
from playground.engine.session_experiments import ExperimentVerbs
from playground.engine.session_files import FileVerbs
from playground.engine.session_programs import ProgramVerbs
from playground.engine.session_replays import ReplayVerbs
from playground.engine.session_sharing import SharingVerbs
from playground.engine.session_sweeps import PastSweepVerbs
from playground.engine.source_text import read_source
from playground.model.outline import Driver, Outline, outline, syntax_finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playground.engine.capture import CapturedLaunch
    from playground.engine.child_process import ChildProcess
    from playground.engine.compile_edited import EditedCompiler
    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.compiling import Compiler
    from playground.engine.debug_process import DebugProcess
    from playground.model.config import Config
    from playground.model.device import DeviceInfo
    from playground.model.finding import Finding, Stage
    from playground.model.knobs import KnobValue
    from playground.protocol import messages


class Session(
    ReplayVerbs, CompilationVerbs, ProgramVerbs, CodeVerbs, DebugVerbs, SharingVerbs,
    ExperimentVerbs, AdviceVerbs, PastSweepVerbs, FileVerbs,
):  # fmt: skip
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
        self._lasting.enter_context(in_mode(self))
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
        self._edited: EditedCompiler | None = None
        self.stopped_by: BaseException | None = None
        self.found: dict[str, Driver] = {}
        self.searched: dict[tuple[str, str], Finding] = {}
        self.seed = 0
        self.wanted_seed: int | None = None
        self.spare_benches: list[tuple[str, ChildProcess]] = []
        self.debug_worker: DebugProcess | None = None
        self.random_state: dict[str, Any] = {}
        self.surroundings = surroundings.Surroundings()
        self.user_files: tuple[str, ...] = ()
        self.changes = fingerprint.Changes()
        self._when_run = self._when_answered = fingerprint.State()
        self.kept = Kept()
        self.earlier = Earlier()

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
        self.sizes = dict(sizes or {})
        whole = job or Job()
        from playground.engine import running

        def once(chosen: Driver | None, job: Job) -> messages.RunResult:
            # First: those of the run before know its launches, which `drop_run` is to free.
            self.surroundings = surroundings.Surroundings(benchmarks, tuning)
            self.drop_run()
            self.driver = chosen
            self._compiler_is_current = False
            return running.run(self, job)

        try:
            result = once(self._driver(driver), whole)
            if self.driver is not None and self.driver.kind == "generated":
                from playground.engine import driver_search

                if driver_search.is_due(self):
                    result = driver_search.Search(self, whole, once).result(result)
                result = self._told_driver(driver, result)
            return result
        except (KeyboardInterrupt, CancelledError):
            # It came beside the user's code, with the run before forgotten: to be told as such.
            self.drop_run()
            return running.cut_off(self)
        finally:
            self.stopped_by = None
            if not self.user_files:  # it ended before its result
                self.user_files = helper_modules.user_files(self.path)
            self._when_run = fingerprint.taken(self.namespace, self.user_files)
            self._when_answered = self._when_run

    def _told_driver(
        self, asked: Driver | str | None, result: messages.RunResult
    ) -> messages.RunResult:
        """Return a run's result with the driver that ran in place of the one asked for."""
        if asked is None:
            asked = self.outline.drivers[0]
        code = asked.code if isinstance(asked, Driver) else asked
        if self.driver is None or self.driver.code.strip() == code.strip():
            return result
        return replace(result, driver=self.driver.code)

    def _driver(self, given: Driver | str | None) -> Driver | None:
        if given is None:
            given = self.outline.drivers[0] if self.outline.drivers else None
        if given is None or isinstance(given, Driver):
            return given if given is None else self.found.get(given.code, given)
        for offered in (*self.outline.drivers, *self.found.values()):
            if offered.code.strip() == given.strip():
                return self.found.get(offered.code, offered)
        if not given.strip():
            return None
        return Driver("typed", given.strip().splitlines()[0], given)

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

    @property
    def edited(self) -> EditedCompiler:
        """Compiles the last run's launches from a text that was edited since."""
        from playground.engine.compile_edited import EditedCompiler

        if self._edited is None:
            self._edited = EditedCompiler(self.device)
        return self._edited

    def lend_compiler(self, compiler: Compiler | None) -> Compiler | None:
        """Compile with the workers of another session from now on; return those used so far.

        Who lends them takes them back, with None, before this session is closed.
        """
        before, self._compiler = self._compiler, compiler
        self._compiler_is_current = False
        if compiler is not None:
            compiler.serve(self.hosted)
        return before

    def take_processes(self, other: Session) -> None:
        """Use the processes that another session started and that wait for work."""
        if other._compiler is not None:
            mine = self.lend_compiler(other.lend_compiler(None))
            if mine is not None:
                mine.close()
        if other._edited is not None and self._edited is None:
            self._edited, other._edited = other._edited, None
        self.spare_benches += other.spare_benches
        other.spare_benches = []
        if self.debug_worker is None:
            self.debug_worker, other.debug_worker = other.debug_worker, None
        if self.trial_compiler is None:
            self.trial_compiler, other.trial_compiler = other.trial_compiler, None

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
        if self._edited is not None:
            self._edited.close()
            self._edited = None
        while self.spare_benches:
            self.spare_benches.pop()[1].close()
        if self.debug_worker is not None:
            self.debug_worker.close()
            self.debug_worker = None
        if self.trial_compiler is not None:
            self.trial_compiler.close()
            self.trial_compiler = None
        self.drop_run()
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
        """Say at once when an error has made this process unusable, and stop when cancelled.

        What kernels print on a GPU meanwhile is thrown away: see `printing`.
        """
        try:
            with printing.unheard(self):
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

    def drop_run(self) -> None:
        """Forget what ran, and all that is known of it."""
        from playground.engine.triton_private import wrappers

        ran = bool(self.namespace)
        if ran:
            wrappers.forget_rewritten(self.namespace)
        self.namespace = {}
        self.launches = LaunchList()
        self.findings = ()
        self.result = None
        self.user_files = ()
        self.stopped_by = None
        self.last = Last()
        self.changes = fingerprint.Changes()
        self.kept = Kept()
        if ran:
            # A module is a ring of references: what it held must not stand in the next run's way.
            gc.collect()
