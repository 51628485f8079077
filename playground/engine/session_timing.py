"""The verbs of a session that are about time."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from playground.engine.findings import NotCountedError
from playground.engine.job import Job
from playground.model.finding import Finding
from playground.model.knobs import KnobError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.session import Session
    from playground.model.comparison import Comparison
    from playground.model.config import Config
    from playground.model.coverage import Coverage
    from playground.model.curve import Axis, Curve, Line, OwnBenchmark
    from playground.model.knobs import KnobValue
    from playground.model.measurement import CacheMode, ClockSource, Energy, HostCost, Measurement
    from playground.model.nsight import NsightReport
    from playground.model.roofline import Ceilings, Standing


class TimingVerbs:
    """What a session measures and compares; a part of `Session`, in a file of its own."""

    @property
    def _me(self) -> Session:
        return cast("Session", self)

    def use_clock(self, source: ClockSource | None) -> None:
        """Time this process's launches with `source` from now on; None takes the best there is.

        Raises
        ------
        ValueError
            Kernels run in the interpreter here, whose wall time no other clock can tell.
        """
        if self._me.device.mode != "gpu":
            raise ValueError("no GPU here: the interpreter's wall time is the only clock")
        from playground.engine.clocks import choice

        choice.ask_for(source)

    def bench(
        self,
        launch: int = 0,
        config: Config | None = None,
        budget_ms: float = 200.0,
        cache: CacheMode = "cold",
        job: Job | None = None,
        target: str | None = None,
        **knobs: KnobValue,
    ) -> Measurement:
        """Time a launch under a config; with a GPU its bytes are counted first, for bandwidth.

        Without a GPU a note says when compiling for `target` refuses the config.
        """
        job = job or Job()
        captured, config = self._me.chosen(launch, config, knobs)
        if self._me.device.mode == "gpu":
            with contextlib.suppress(NotCountedError):
                self._me.coverage(launch, config, job)
        measured = self.measure(captured.info.index, config, budget_ms, cache, job)
        refused = self.refusals(captured.info.index, config, target, job)
        name = target or self._me.device.target
        notes = [f"cannot run on {name}: {item.message}" for item in refused
                 if item.severity == "error"]  # fmt: skip
        return replace(measured, notes=(*measured.notes, *notes[:1])) if notes else measured

    def refusals(
        self, launch: int, config: Config, target: str | None = None, job: Job | None = None
    ) -> tuple[Finding, ...]:
        """Return what compiling says against a config that only the interpreter runs here.

        Nothing where a GPU runs it, and nothing when it can be launched on `target`. Where the
        compile worker could not reach the kernel, that is a warning: it is not of the config.
        """
        if self._me.device.mode != "interpreter":
            return ()
        name = target or self._me.device.target
        try:
            outcome = self._me.compile(launch, config, target, job)
        except KnobError as error:  # launched so by the file, where no compiler was asked
            return (Finding("warning", "compile", f"not compiled for {name}: {error}"),)
        if outcome.report is not None and outcome.report.fits:
            return ()
        errors = tuple(item for item in outcome.findings if item.severity == "error")
        if not outcome.undecided:
            return errors
        return tuple(replace(item, severity="warning") for item in errors)

    def measure(
        self, launch: int, config: Config, budget_ms: float, cache: CacheMode, job: Job
    ) -> Measurement:
        """Time a launch under a config; bytes are filled in where it was counted already."""
        measurement = self._timed(launch, config, budget_ms, cache, job)
        self._me.kept.measured[(launch, config)] = measurement
        self._me.last_of(self._me.launches[launch], config).measurement = measurement
        return measurement

    def _timed(
        self, launch: int, config: Config, budget_ms: float, cache: CacheMode, job: Job
    ) -> Measurement:
        from playground.engine import printing, sampling, timing
        from playground.engine.replay import put_back_after

        counted, exact = self._counted(launch, config, job)
        with self._me.guarded(job), put_back_after(self._me.prepare(launch, config)) as prepared:
            measurement = timing.measure(
                prepared, budget_ms=budget_ms, cache=cache, job=job, counted=counted
            )
            if budget_ms >= printing.LEAST_MS and self._prints(launch, config, job):
                restores = sampling.reads_what_it_writes(counted)
                silent_ms, note = printing.without_prints(
                    self._me, measurement, prepared, cache, restores, job
                )
                notes = (*measurement.notes, note)
                measurement = replace(measurement, silent_ms=silent_ms, notes=notes)
        if not exact:
            measurement = replace(measurement, bytes_requested=None, bytes_unique=None, flops=None)
        return measurement

    def _prints(self, launch: int, config: Config, job: Job) -> bool:
        from playground.engine import printing

        if self._me.device.mode != "gpu" or not printing.may_print(self._me):
            return False
        return printing.prints(self._me.compile(launch, config, job=job))

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

        captured, config = self._me.chosen(launch, config, knobs)
        return contestants.compared(
            self._me, captured.info.index, config, against, cache, budget_ms, more, job or Job()
        )

    def noise_floor(
        self, launch: int, config: Config, cache: CacheMode, job: Job | None = None
    ) -> float:
        """Return how far two runs of a launch differ on this machine, relative; measured once."""
        from playground.engine import noise

        key = (launch, cache)
        if key not in self._me.kept.floors:
            self._me.kept.floors[key] = noise.measured_floor(
                lambda budget_ms: self._timed(launch, config, budget_ms, cache, job or Job())
            )
        return self._me.kept.floors[key]

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
            captured = self._me.launches[launch].info.config
            lines = (Line(captured.label() or "captured", captured),)
            if self._me.outline.has_reference:
                lines = (*lines, Line("reference", expression="reference"))
        return curves.trace(
            self._me, launch, (axes,) if isinstance(axes, Axis) else axes, lines,
            cache=cache, budget_ms=budget_ms, job=job or Job(), before=before,
        )  # fmt: skip

    def own_benchmarks(self) -> tuple[OwnBenchmark, ...]:
        """Return the file's own `triton.testing.Benchmark` objects; `own_curve` runs one."""
        from playground.engine import own_curves

        return own_curves.offered(self._me.namespace)

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
            self._me, name, cache=cache, budget_ms=budget_ms, job=job or Job(), before=before
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

        captured, config = self._me.chosen(launch, config, knobs)
        index = captured.info.index
        return analysis.under_the_roof(self._me, index, config, target, again, job or Job())

    def host_cost(
        self, launch: int = 0, config: Config | None = None, job: Job | None = None,
        **knobs: KnobValue,
    ) -> HostCost:  # fmt: skip
        """Return what a launch costs the host: first call, cold start, cached call, in ms."""
        from playground.engine import analysis

        captured, config = self._me.chosen(launch, config, knobs)
        return analysis.host_cost(self._me, captured.info.index, config, job or Job())

    def energy(
        self, launch: int = 0, config: Config | None = None, job: Job | None = None,
        **knobs: KnobValue,
    ) -> Energy:  # fmt: skip
        """Return the energy of one launch in joules, from running it for a second or more."""
        from playground.engine import analysis

        captured, config = self._me.chosen(launch, config, knobs)
        return analysis.energy(self._me, captured.info.index, config, job or Job())

    def nsight(
        self, launch: int = 0, config: Config | None = None, job: Job | None = None,
        **knobs: KnobValue,
    ) -> NsightReport:  # fmt: skip
        """Run Nsight Compute on exactly this launch and return its figures."""
        from playground.engine import analysis

        captured, config = self._me.chosen(launch, config, knobs)
        return analysis.nsight(self._me, captured.info.index, config, job or Job())

    def nsight_command(self, launch: int = 0, config: Config | None = None) -> str:
        """Return the command line that runs Nsight Compute on this launch by hand."""
        from playground.engine import analysis

        captured, config = self._me.chosen(launch, config, {})
        return analysis.nsight_command(self._me, captured.info.index, config)

    def counted(self, launch: int, config: Config, job: Job) -> Coverage | None:
        """Return counts that tell whether a launch reads what it writes; of another config too."""
        return self._counted(launch, config, job)[0]

    def measured(self, launch: int, config: Config) -> Measurement | None:
        """Return the latest measurement of a launch under a config, if there is one."""
        return self._me.kept.measured.get((launch, config))

    def _counted(self, launch: int, config: Config, job: Job) -> tuple[Coverage | None, bool]:
        """Return counts for timing `config`, and whether they are its own.

        Timing must know whether the kernel reads what it writes; that is so under every config.
        """
        own = self._me.kept.counts.get((launch, config))
        if own is not None:
            return own.summary(), True
        for key, other in self._me.kept.counts.items():
            if key[0] == launch:
                return other.summary(), False
        if self._me.device.mode == "gpu":
            with contextlib.suppress(NotCountedError):
                return self._me.coverage(launch, config, job), True
        return None, True
