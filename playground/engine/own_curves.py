"""A file's own `triton.testing.Benchmark` objects, read and drawn with our clock."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
import triton.testing

from playground.engine import sampling
from playground.engine.clocks import choice, events
from playground.engine.clocks.work import Work
from playground.engine.comparing import NEEDS_A_GPU, NotTimedError
from playground.engine.job import CancelledError
from playground.model.curve import Axis, Curve, CurveRow, OwnBenchmark, tied
from playground.model.statistics import median, median_interval, quantile
from playground.protocol.timing import CurveProgress

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.measurement import CacheMode, ClockSource

Sizes = tuple[tuple[str, int], ...]
_TIMERS = ("do_bench", "do_bench_cudagraph")


def offered(namespace: Mapping[str, Any]) -> tuple[OwnBenchmark, ...]:
    """Return what the marked benchmarks of a module sweep, by the name of their function."""
    found = []
    for _, name, bench in _marked(namespace):
        sizes = _sizes(bench)
        found.append(
            OwnBenchmark(
                name=name,
                title=str(bench.plot_name or name),
                axes=tuple(
                    Axis(axis, tuple(sorted({dict(_named(bench, row))[axis] for row in sizes})))
                    for axis, _ in _named(bench, sizes[0] if sizes else ())
                ),
                lines=tuple(map(str, bench.line_names)),
                label=str(bench.ylabel or ""),
                points=len(sizes) * len(bench.line_vals),
            )
        )
    return tuple(found)


def trace(
    session: Session, name: str, *, cache: CacheMode, budget_ms: float, job: Job,
    before: Curve | None = None,
) -> Curve:  # fmt: skip
    """Run one of the file's benchmarks over its own sizes and lines, timed by our clock.

    `triton.testing.do_bench` is ours meanwhile, so that the file's formula (GB/s, TFLOP/s) is fed
    with kernel time; each row has that time and what the file made of it.

    Raises
    ------
    NotTimedError
        There is no GPU, or no benchmark of that name.
    """
    if session.device.mode != "gpu":
        raise NotTimedError(
            "there is no GPU here: the interpreter's time says nothing to draw", NEEDS_A_GPU
        )
    for mark, called, bench in _marked(session.namespace):
        if called == name:
            return _trace(session, mark, bench, name, cache, budget_ms, job, before)
    names = ", ".join(item.name for item in offered(session.namespace))
    raise NotTimedError(f"the file has no benchmark {name}; it has {names or 'none'}")


def _marked(namespace: Mapping[str, Any]) -> Iterator[tuple[Any, str, Any]]:
    for name, value in namespace.items():
        if isinstance(value, triton.testing.Mark):
            listed = isinstance(value.benchmarks, (list, tuple))
            benches = list(value.benchmarks) if listed else [value.benchmarks]
            for position, bench in enumerate(benches):
                yield value, f"{name}[{position}]" if listed else name, bench


def _sizes(bench: Any) -> list[Sizes]:
    rows = []
    for value in bench.x_vals:
        values = value if isinstance(value, (list, tuple)) else [value] * len(bench.x_names)
        rows.append(tuple(zip(bench.x_names, map(int, values), strict=False)))
    return rows


def _named(bench: Any, sizes: Sizes) -> Sizes:
    """Return a row's sizes by axis: one axis where a single number is given for all names."""
    together = len(sizes) > 1 and not any(isinstance(x, (list, tuple)) for x in bench.x_vals)
    return ((tied([name for name, _ in sizes]), sizes[0][1]),) if together else sizes


def _trace(
    session: Session, mark: Any, bench: Any, name: str, cache: CacheMode, budget_ms: float,
    job: Job, before: Curve | None,
) -> Curve:  # fmt: skip
    lines = tuple(map(str, bench.line_names))
    axes = next(item.axes for item in offered(session.namespace) if item.name == name)
    kept = () if before is None else tuple(row for row in before.rows if row.median_ms)
    rows: list[CurveRow] = list(kept)
    known = {(row.line, row.sizes) for row in rows}
    total = len(bench.line_vals) * len(bench.x_vals)
    cancelled = False
    try:
        for sizes in _sizes(bench):
            for line, value in zip(lines, bench.line_vals, strict=True):
                if (line, _named(bench, sizes)) in known:
                    continue
                job.progress(f"{line} at {_text(sizes)}", len(rows) / max(total, 1))
                job.check()
                row = _point(session, mark, bench, sizes, line, value, cache, budget_ms, job)
                row = replace(row, sizes=_named(bench, sizes))
                rows.append(row)
                job.send(CurveProgress((row,), len(rows), total))
    except (CancelledError, KeyboardInterrupt):
        cancelled = True
    return Curve(
        0, name, axes, lines, tuple(rows), cache, cancelled, own_label=str(bench.ylabel or "")
    )


def _point(
    session: Session, mark: Any, bench: Any, sizes: Sizes, line: str, value: Any,
    cache: CacheMode, budget_ms: float, job: Job,
) -> CurveRow:  # fmt: skip
    timed: list[list[float]] = []
    sources: list[ClockSource] = []

    def do_bench(fn: Any, *_args: Any, **named: Any) -> Any:
        samples, source = _samples(fn, cache, budget_ms)
        timed.append(samples)
        sources.append(source)
        return _as_asked(samples, named)

    try:
        with _timers(do_bench), session.guarded(job):
            made = mark.fn(**dict(sizes), **{bench.line_arg: value}, **bench.args)
    except (CancelledError, KeyboardInterrupt):
        raise
    except Exception as error:
        if session.is_fatal(error):
            raise
        return CurveRow(sizes, line, reason=session.finding(error, "timing").message)
    if not timed:
        return CurveRow(sizes, line, reason="the benchmark called no do_bench")
    own = made[0] if isinstance(made, (tuple, list)) else made
    samples = timed[-1]
    low, high = median_interval(samples)
    return CurveRow(
        sizes, line, median(samples), low, high, len(samples), source=sources[-1],
        own=float(own) if isinstance(own, (int, float)) else None,
    )  # fmt: skip


def _samples(fn: Any, cache: CacheMode, budget_ms: float) -> tuple[list[float], ClockSource]:
    fn()
    torch.cuda.synchronize()
    work = Work(fn, sampling.evict if cache == "cold" else None)
    estimate_ms = max(min(events.sample(work, 3)), 1e-3)
    count = min(
        max(int(budget_ms / estimate_ms), sampling.MINIMUM_SAMPLES), sampling.MAXIMUM_SAMPLES
    )
    order = [0] * (count + sampling.DROPPED)
    found = choice.turns([work], order)
    return found.times_ms[sampling.DROPPED :], found.source


def _as_asked(samples: list[float], named: dict[str, Any]) -> Any:
    wanted = named.get("quantiles")
    if wanted is not None:
        found = [quantile(samples, float(q)) for q in wanted]
        return found[0] if len(found) == 1 else found
    mode = named.get("return_mode", "mean")
    return {
        "all": samples, "min": min(samples), "max": max(samples), "median": median(samples),
        "mean": sum(samples) / len(samples),
    }[mode]  # fmt: skip


@contextlib.contextmanager
def _timers(do_bench: Any) -> Iterator[None]:
    names = [name for name in _TIMERS if hasattr(triton.testing, name)]
    before = {name: getattr(triton.testing, name) for name in names}
    for name in names:
        setattr(triton.testing, name, do_bench)
    try:
        yield
    finally:
        for name, real in before.items():
            setattr(triton.testing, name, real)


def _text(sizes: Sizes) -> str:
    return ", ".join(f"{name}={value}" for name, value in sizes)
