"""The verbs of a session that debug: single programs, prints, NaN hunting, comparing elements."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, cast

from playground.engine.job import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.debug_messages import Begin
    from playground.engine.debug_process import DebugProcess, Packed, Stepping
    from playground.engine.debugger import Debugger
    from playground.engine.replay import PreparedReplay
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.debugging import Breakpoint
    from playground.model.knobs import KnobValue
    from playground.protocol.debugging import (
        DebugMode,
        Differed,
        Hunted,
        PrintsOf,
        RanAlone,
    )


class DebugVerbs:
    """What a session does to find out what goes wrong; a part of `Session`, in its own file."""

    @property
    def _debugged(self) -> Session:
        return cast("Session", self)

    def alone(
        self,
        program: int | Sequence[int] = 0,
        launch: int = 0,
        config: Config | None = None,
        mode: DebugMode | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> RanAlone:
        """Run one program and no other, on copies, and return what it wrote and printed.

        Parameters
        ----------
        program
            Its linear id, or its place in the grid (x, y, z).
        mode
            `gpu` or `interpreter`; the GPU where there is one, when left out.

        Raises
        ------
        IndexError
            The grid has no such program.
        ValueError
            The GPU is asked for, and there is none.
        debug_process.DebugError
            The interpreter's process does not come to the launch, or ended.
        """
        import numpy as np

        from playground.engine import alone

        session, job = self._debugged, job or Job()
        captured, config = session.chosen(launch, config, knobs)
        mode = self._mode(mode)
        index = captured.info.index
        with session.guarded(job), self._prepared(index, config) as prepared:
            number = self._program_of(prepared, program)
        if mode == "gpu":
            steps = session.steps(index, config, number, job)
            coverage = session.coverage(index, config, job)
            found: dict[str, list[np.ndarray]] = {}
            for step, (site, tensor) in enumerate(zip(steps.sites, steps.tensors, strict=True)):
                if tensor >= 0 and site >= 0 and coverage.sites[site].kind != "load":
                    piece = steps.elements[steps.offsets[step] : steps.offsets[step + 1]]
                    found.setdefault(coverage.tensors[tensor].name, []).append(piece)
            elements = [(name, np.unique(np.concatenate(pieces))) for name, pieces in found.items()]
            with session.guarded(job), self._prepared(index, config) as prepared:
                return alone.on_the_gpu(prepared, number, elements, job)
        process = self._worker_at(captured, config, job)
        with session.guarded(job), self._prepared(index, config) as prepared:
            return alone.in_the_interpreter(prepared, process, number, job)

    def prints(
        self,
        launch: int = 0,
        config: Config | None = None,
        program: int | Sequence[int] | None = None,
        mode: DebugMode | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> PrintsOf:
        """Run a launch, or one program of it, and return what `tl.device_print` printed.

        `tl.static_print` is told beside it. Raises what `alone` does.
        """
        from playground.engine import alone
        from playground.engine.debug_messages import RunPrograms
        from playground.protocol.debugging import PrintsOf

        session, job = self._debugged, job or Job()
        captured, config = session.chosen(launch, config, knobs)
        mode = self._mode(mode)
        if program is not None:
            ran = self.alone(program, captured.info.index, config, mode, job)
            return PrintsOf(ran.run.prints, ran.findings)
        if mode == "gpu":
            with session.guarded(job), self._prepared(captured.info.index, config) as prepared:
                return PrintsOf(alone.prints_on_gpu(prepared, job))
        process = self._worker_at(captured, config, job)
        done = process.run(RunPrograms(None, stores=False), job)
        return PrintsOf(done.prints, done.findings)

    def hunt(
        self,
        launch: int = 0,
        config: Config | None = None,
        program: int | Sequence[int] | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> Hunted:
        """Find where NaN and infinities come about: line, program, and what went in there.

        With a GPU the launch runs there first, and the programs whose results are not finite are
        interpreted. Without one all programs are, or the one given.
        """
        from playground.engine import hunting

        session, job = self._debugged, job or Job()
        captured, config = session.chosen(launch, config, knobs)
        with session.guarded(job):
            return hunting.hunt(session, captured, config, program, job)

    def differences(
        self,
        against: str = "reference",
        launch: int = 0,
        config: Config | None = None,
        job: Job | None = None,
        **knobs: KnobValue,
    ) -> Differed:
        """Compare a launch's result element by element: where it differs first, and who wrote it.

        Parameters
        ----------
        against
            `reference`, `captured`, or `interpreter` (with a GPU, the two runs of one kernel).

        Raises
        ------
        ValueError
            There is nothing of this kind to compare with; the message says why.
        """
        from playground.engine import element_differences

        session, job = self._debugged, job or Job()
        captured, config = session.chosen(launch, config, knobs)
        with session.guarded(job):
            return element_differences.compare(session, captured, config, against, job)

    def prestart_debugger(self) -> None:
        """Start the debug worker now: it needs seconds until it has torch."""
        self._idle_worker().prestart()

    def stepping(
        self,
        launch: int,
        config: Config,
        begin: Begin,
    ) -> Callable[[Job], Stepping]:
        """Return what steps through a program in the interpreter, on copies of the data.

        The call returned takes nothing from the session, so that another thread may make it; who
        makes it takes the events. Raises `IndexError` where the grid has no such program.
        """
        from playground.engine.alone import program_place

        captured, config = self._debugged.chosen(launch, config, {})
        with self._prepared(captured.info.index, config) as prepared:
            program_place(prepared.grid, begin.program)
        worker = self._idle_worker()
        packed = self._packed(worker, captured, config)
        self._debugged.debug_worker = None  # it is the stepped program's from now on

        def start(job: Job) -> Stepping:
            try:
                worker.take(packed, job)
                return worker.step(begin)
            except BaseException:
                worker.close()
                raise

        return start

    def debug(
        self,
        program: int | Sequence[int] = 0,
        launch: int = 0,
        config: Config | None = None,
        breakpoints: Sequence[int | str | Breakpoint] = (),
        watches: Sequence[str] = (),
        **knobs: KnobValue,
    ) -> Debugger:
        """Stop at the first line of one program; the debugger returned steps on from there.

        Parameters
        ----------
        breakpoints
            Lines of the file, `"LINE if CONDITION"`, or `Breakpoint`s.
        """
        from playground.engine.debug_messages import Begin
        from playground.engine.debugger import Debugger, breakpoint_from

        session = self._debugged
        captured, config = session.chosen(launch, config, knobs)
        points = [breakpoint_from(item, captured.info.file) for item in breakpoints]
        with self._prepared(captured.info.index, config) as prepared:
            number = self._program_of(prepared, program)
        begin = Begin(number, tuple(points), tuple(watches))
        start = self.stepping(captured.info.index, config, begin)
        return Debugger(start(Job()), points, watches)

    # ------------------------------------------------------------------------------ inside

    def _mode(self, mode: DebugMode | None) -> DebugMode:
        has_gpu = self._debugged.device.mode == "gpu"
        if mode == "gpu" and not has_gpu:
            raise ValueError("no GPU here: programs run in Triton's interpreter")
        return mode or ("gpu" if has_gpu else "interpreter")

    @contextlib.contextmanager
    def _prepared(self, index: int, config: Config) -> Iterator[PreparedReplay]:
        from playground.engine.replay import put_back_after

        with put_back_after(self._debugged.prepare(index, config)) as prepared:
            yield prepared

    def _idle_worker(self) -> DebugProcess:
        from playground.engine.debug_process import DebugProcess

        session = self._debugged
        if session.debug_worker is None:
            session.debug_worker = DebugProcess()
        return session.debug_worker

    def _packed(
        self, worker: DebugProcess, captured: CapturedLaunch, config: Config
    ) -> Packed | None:
        session, index = self._debugged, captured.info.index
        use = session.compiler.file
        with contextlib.ExitStack() as stack:
            return worker.pack(
                (use.generation, config, captured),
                lambda: stack.enter_context(self._prepared(index, config)),
                use, session.device.target,
            )  # fmt: skip

    def _worker_at(self, captured: CapturedLaunch, config: Config, job: Job) -> DebugProcess:
        """Return the debug worker, standing before a launch under a config."""
        worker = self._idle_worker()
        worker.take(self._packed(worker, captured, config), job)
        return worker

    @staticmethod
    def _program_of(prepared: PreparedReplay, program: int | Sequence[int]) -> int:
        """Return a program's linear id; raises `IndexError` where the grid has none such."""
        from playground.engine.alone import program_place

        grid = prepared.grid
        if isinstance(program, int):
            program_place(grid, program)
            return program
        x, y, z = (*program, 0, 0)[:3]
        if any(not 0 <= at < size for at, size in zip((x, y, z), grid, strict=True)):
            raise IndexError(f"there is no program {tuple(program)}: the grid is {grid}")
        return (z * grid[1] + y) * grid[0] + x
