"""Timing a launch over problem sizes: every config and rival at every size, resumable."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine import contestants, sampling
from playground.engine.clocks import choice, events
from playground.engine.comparing import NotTimedError
from playground.engine.job import CancelledError
from playground.model.curve import Curve, CurveRow, spread, timed_row
from playground.protocol.timing import CurveProgress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.clocks.work import Work
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.curve import Axis, Line
    from playground.model.measurement import CacheMode, ClockSource

Sizes = tuple[tuple[str, int], ...]


def trace(
    session: Session,
    launch: int,
    axes: Sequence[Axis],
    lines: Sequence[Line],
    *,
    cache: CacheMode,
    budget_ms: float,
    job: Job,
    before: Curve | None = None,
) -> Curve:
    """Return the time of every line at every combination of sizes.

    Parameters
    ----------
    session
        Left as it is: sizes are run in a session of their own.
    budget_ms
        Measuring time of one point.
    before
        An earlier curve of the same launch: its timed points are kept and not timed again.

    A point that fails has its reason; the others go on. Cancelling keeps what was timed.

    Raises
    ------
    NotTimedError
        There is no GPU, or the driver has no problem size of that name.
    """
    if session.device.mode != "gpu":
        raise NotTimedError("there is no GPU here: the interpreter's time says nothing to draw")
    known = {size.name for size in session.driver.sizes} if session.driver else set()
    moved = [name for item in axes for name in item.names]
    for name in moved:
        if name not in known:
            raise NotTimedError(
                f"the driver has no problem size {name}; it has "
                f"{', '.join(sorted(known)) or 'none'} (integer keyword parameters of example)"
            )
        if moved.count(name) > 1:
            raise NotTimedError(f"{name} cannot move along two axes: leave it out of one")
    tracer = _Tracer(session, launch, tuple(axes), tuple(lines), cache, budget_ms, job)
    if before is not None:
        tracer.keep(before)
    return tracer.run()


class _Tracer:
    def __init__(
        self, session: Session, launch: int, axes: tuple[Axis, ...], lines: tuple[Line, ...],
        cache: CacheMode, budget_ms: float, job: Job,
    ) -> None:  # fmt: skip
        self._session = session
        self._launch = launch
        self._lines = lines
        self._budget_ms = budget_ms
        self._job = job
        self._curve = Curve(
            launch, session.launches[launch].info.kernel, axes,
            tuple(line.label for line in lines), (), cache,
        )  # fmt: skip

    def keep(self, before: Curve) -> None:
        kept = tuple(row for row in before.rows if row.median_ms and row.line in self._curve.lines)
        self._curve = replace(self._curve, rows=kept)

    def run(self) -> Curve:
        from playground.engine.session import Session

        combinations = [
            tuple(zip([axis.name for axis in self._curve.axes], values, strict=True))
            for values in itertools.product(*(axis.values for axis in self._curve.axes))
        ]
        total = len(combinations) * len(self._lines)
        session = Session(self._session.device)
        try:
            session.load(self._session.path, self._session.text)
            for sizes in combinations:
                missing = [line for line in self._lines if not self._has(line, sizes)]
                if missing:
                    self._at(session, sizes, missing, total)
        except (CancelledError, KeyboardInterrupt):
            self._curve = replace(self._curve, cancelled=True)
        finally:
            session.close()
        return self._curve

    def _has(self, line: Line, sizes: Sizes) -> bool:
        return self._curve.row(line.label, sizes) is not None

    def _at(self, session: Session, sizes: Sizes, lines: list[Line], total: int) -> None:
        text = ", ".join(f"{name}={value}" for name, value in sizes)
        self._job.progress(f"running at {text}", len(self._curve.rows) / total)
        self._job.check()
        sized = {**self._session.sizes, **spread(sizes)}
        result = session.run(self._session.driver, sized, self._job)
        if self._launch >= len(result.launches):
            told = result.findings[0].message if result.findings else "no such launch"
            for line in lines:
                self._add(CurveRow(sizes, line.label, reason=told), total)
            return
        for line in lines:
            self._job.progress(f"{line.label} at {text}", len(self._curve.rows) / total)
            self._job.check()
            try:
                row = self._point(session, sizes, line)
            except (CancelledError, KeyboardInterrupt):
                raise
            except Exception as error:
                if session.is_fatal(error):
                    raise
                row = CurveRow(sizes, line.label, reason=session.finding(error, "timing").message)
            self._add(row, total)

    def _point(self, session: Session, sizes: Sizes, line: Line) -> CurveRow:
        cache, launch = self._curve.cache, self._launch
        info = session.launches[launch].info
        counted = session.counted(launch, info.config, self._job)
        figures = (counted.bytes_unique, counted.flops or None) if counted else (None, None)
        if line.config is None:
            rival = contestants.named(session, launch, line.expression, cache, self._job)
            try:
                samples, source = _samples(rival.work, self._budget_ms)
            finally:
                rival.close()
            return timed_row(sizes, line.label, samples, source, *figures)
        movable = {knob.name for knob in info.knobs if knob.kind != "fixed" and not knob.derived}
        config = info.config.updated(
            {name: value for name, value in line.config.values if name in movable}
        )
        checked = session.judge(launch, config, self._job)
        if checked.result.status == "wrong":
            return CurveRow(sizes, line.label, reason=checked.result.text())
        measured = session.measure(launch, config, self._budget_ms, cache, self._job)
        return timed_row(sizes, line.label, measured.samples_ms, measured.source, *figures)

    def _add(self, row: CurveRow, total: int) -> None:
        self._curve = replace(self._curve, rows=(*self._curve.rows, row))
        self._job.send(CurveProgress((row,), len(self._curve.rows), total))


def _samples(work: Work, budget_ms: float) -> tuple[list[float], ClockSource]:
    estimate_ms = max(min(events.sample(work, 3)), 1e-3)
    count = min(
        max(int(budget_ms / estimate_ms), sampling.MINIMUM_SAMPLES), sampling.MAXIMUM_SAMPLES
    )
    order = [0] * (count + sampling.DROPPED)
    found = choice.turns([work], order)
    return found.times_ms[sampling.DROPPED :], found.source
