"""A file's own benchmarks: recognised, and left out unless they are asked for.

A run is there to see the launches; a sweep up to 2^27 elements would take a GPU minutes, and the
interpreter hours. So `do_bench` and its like do not repeat what they are given, `perf_report`'s
`run` does not sweep, and a loop that only repeats a call between two looks at the clock goes round
once, as does one that times one size after another. The times handed back are `Unmeasured`. Where
a file launches nothing before its first benchmark, that benchmark is how it launches at all: then
each goes once, at its smallest size.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import math
import sys
import time
import timeit
from typing import TYPE_CHECKING, Any

from playground.engine import run_notes, user_frames
from playground.engine.unmeasured import Unmeasured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

HOW_TO_RUN = "to run it: play.run(benchmarks=True), --benchmarks"
_TIMERS = ("do_bench", "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton")

Place = tuple[str, int]


class Plan:
    """What is done with each benchmark of a file; the same when the driver runs again.

    Parameters
    ----------
    launches
        Tells how many launches there were so far in the run.
    timed
        Benchmarks were asked for, and there is no GPU: they run, and each call is made once.
    """

    def __init__(self, launches: Callable[[], int] = lambda: 0, *, timed: bool = False) -> None:
        self._launches = launches
        self.timed = timed
        self._only_launchers: bool | None = None
        self._done: set[object] = set()
        self.shortened = False
        """Whether something that launches went on for less long than it was written to."""

    def goes_once(self, what: object) -> bool:
        """Tell whether the benchmark `what` goes once now, because nothing else launches."""
        if self._only_launchers is None:
            self._only_launchers = self._launches() == 0
        if not self._only_launchers or what in self._done:
            return False
        self._done.add(what)
        self.shortened = True
        return True

    @property
    def only_launches(self) -> bool:
        """Whether the file launches through its benchmarks alone."""
        return bool(self._only_launchers)

    def again(self) -> Plan:
        """Return the plan for another run of the same driver."""
        plan = Plan(timed=self.timed)
        plan._only_launchers = self._only_launchers
        return plan


_plan: Plan | None = None


@contextlib.contextmanager
def skipped(plan: Plan, text: str = "") -> Iterator[None]:
    """Leave benchmarks out as `plan` says meanwhile; `text` is that of the file."""
    global _plan
    _look_for_torch_timer(text)
    before, _plan = _plan, plan
    patches = _patches()
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, value in patches:
        setattr(owner, name, value)
    try:
        yield
    finally:
        _plan = before
        for owner, name, value in originals:
            setattr(owner, name, value)


def _patches() -> list[tuple[Any, str, Any]]:
    import triton.testing  # here: whether it interprets is decided after this module's import

    patches = [
        (triton.testing, name, _timer(getattr(triton.testing, name)))
        for name in _TIMERS
        if hasattr(triton.testing, name)
    ]
    if _plan is not None and _plan.timed:
        return patches
    patches.append((triton.testing.Mark, "run", _report(triton.testing.Mark.run)))
    patches.append((timeit.Timer, "timeit", _timeit(timeit.Timer.timeit)))
    torch_timer = _torch_timer()
    if torch_timer is not None:
        patches += [
            (torch_timer, name, _measured(getattr(torch_timer, name)))
            for name in ("timeit", "blocked_autorange", "adaptive_autorange", "autorange")
            if hasattr(torch_timer, name)
        ]
    return patches


def _torch_timer() -> Any:
    """Return torch's own `Timer`, once somebody has imported it."""
    module = sys.modules.get("torch.utils.benchmark.utils.timer")
    return getattr(module, "Timer", None)


def _look_for_torch_timer(text: str) -> None:
    """Import torch's benchmark utilities if `text` does, so that they can be left out."""
    if "utils.benchmark" in text or "import benchmark" in text:
        import torch.utils.benchmark  # noqa: F401  # imported for its place in sys.modules


def _say(what: str, once: bool, place: Place | None) -> None:
    notes = run_notes.current()
    if notes is None:
        return
    line = f" at line {place[1]}" if place else ""
    done = "ran once at its smallest size, unmeasured" if once else "skipped"
    notes.tell(f"{what}{line} {done}", HOW_TO_RUN, place=place)
    if not once:
        notes.skipped.append((f"skipped its {what}{line}", place))


def _timer(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `do_bench` that calls its function at most once, and measures nothing."""

    @functools.wraps(real)
    def do_bench(fn: Any, *args: Any, **named: Any) -> Any:
        if _plan is None:
            return real(fn, *args, **named)
        if _plan.timed:
            return _interpreted_time(fn, named)
        place = user_frames.innermost()
        once = _inside_report or _plan.goes_once(place)
        if not _inside_report:
            _say("benchmark", once, place)
        if once:
            fn()
        return _as_asked(Unmeasured(), named)

    return do_bench


def _as_asked(time_ms: float, named: dict[str, Any]) -> Any:
    """Return a time in the shape that the arguments of `do_bench` ask for."""
    if named.get("quantiles") is not None:
        return [time_ms for _ in named["quantiles"]]
    return [time_ms] if named.get("return_mode") == "all" else time_ms


def _interpreted_time(fn: Any, named: dict[str, Any]) -> Any:
    run_notes.tell(
        "do_bench times one interpreted call by the wall clock: there is no GPU",
        "it says nothing of a GPU's time",
        "warning",
    )
    started = time.perf_counter()
    fn()
    return _as_asked((time.perf_counter() - started) * 1e3, named)


_inside_report = False
_inside_timer = False


def _report(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `Mark.run` that sweeps nothing."""

    @functools.wraps(real)
    def run(mark: Any, *args: Any, **named: Any) -> Any:
        if _plan is None:
            return real(mark, *args, **named)
        place = user_frames.innermost()
        benches = mark.benchmarks if isinstance(mark.benchmarks, (list, tuple)) else [
            mark.benchmarks
        ]  # fmt: skip
        for number, bench in enumerate(benches):
            once = _plan.goes_once((place, number))
            _say("benchmark", once, place)
            if once:
                own = {"show_plots", "print_data", "save_path", "return_df", "diff_col",
                       "save_precision"}  # fmt: skip
                _smallest(mark, bench, {key: named[key] for key in named if key not in own})
        if named.get("return_df"):
            return _table() if not isinstance(mark.benchmarks, (list, tuple)) else [
                _table() for _ in benches
            ]  # fmt: skip
        return None

    return run


def _table() -> Any:
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return None
    return pandas.DataFrame()


def _smallest(mark: Any, bench: Any, named: dict[str, Any]) -> None:
    """Call the benchmark once for each of its lines, at the smallest size of its sweep."""
    global _inside_report
    values = list(bench.x_vals)
    if not values:
        return
    value = min(values, key=_size)
    sizes = value if isinstance(value, (list, tuple)) else [value] * len(bench.x_names)
    x_args = dict(zip(bench.x_names, sizes, strict=False))
    _inside_report = True
    try:
        for line in _triton_first(bench.line_vals):
            try:
                mark.fn(**x_args, **{bench.line_arg: line}, **bench.args, **named)
            except ImportError as error:
                # What the benchmark compares with is not installed; the kernel itself is.
                run_notes.tell(f"the benchmark's line {line!r} cannot run: {error}")
    finally:
        _inside_report = False


def _triton_first(lines: Iterable[Any]) -> list[Any]:
    return sorted(lines, key=lambda line: "triton" not in str(line).lower())


def _size(value: Any) -> float:
    numbers = value if isinstance(value, (list, tuple)) else [value]
    return math.prod(item for item in numbers if isinstance(item, (int, float)))


def _timeit(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def run(timer: Any, number: int = 1_000_000) -> Any:
        # The console's %timeit has a class of its own, and torch's `Timer` has one of these inside.
        if _plan is None or _inside_timer or user_frames.innermost() is None:
            return real(timer, number)
        place = user_frames.innermost()
        once = _plan.goes_once(place)
        _say("timeit loop", once, place)
        if once:
            real(timer, 1)
        return Unmeasured()

    return run


def _measured(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of torch's `Timer` that runs its statement at most once."""

    @functools.wraps(real)
    def run(timer: Any, *args: Any, **named: Any) -> Any:
        if _plan is None:
            return real(timer, *args, **named)
        from torch.utils.benchmark import Measurement

        global _inside_timer
        place = user_frames.innermost()
        once = _plan.goes_once(place)
        _say("torch.utils.benchmark", once, place)
        if once:
            _inside_timer = True
            try:
                timer._timeit(1)
            finally:
                _inside_timer = False
        return Measurement(1, [Unmeasured()], timer._task_spec)

    return run


def rounds(repeats: Any) -> Any:
    """Return what a loop that only repeats a timed call goes through: one round while skipping.

    `timing_loops` puts this around the loop's range.
    """
    if _plan is None or _plan.timed or not isinstance(repeats, range) or len(repeats) < 2:
        return repeats
    place = user_frames.innermost()
    line = f" at line {place[1]}" if place else ""
    _plan.shortened = True
    run_notes.tell(
        f"the timing loop{line} went round once instead of {len(repeats)} times", HOW_TO_RUN
    )
    return repeats[:1]


_MOST_SIZES = 10_000


def sizes(swept: Any) -> Any:
    """Return what a loop that times one size after another goes through: its smallest size.

    `timing_loops` puts this around what the loop goes through.
    """
    if _plan is None or _plan.timed:
        return swept
    if isinstance(swept, (zip, enumerate, itertools.product)):
        # All of them were made of what is there; an endless one is given back as it was.
        first = list(itertools.islice(swept, _MOST_SIZES))
        swept = first if len(first) < _MOST_SIZES else itertools.chain(first, swept)
    if not isinstance(swept, (range, list, tuple)) or len(swept) < 2:
        return swept
    if not all(_has_size(value) for value in swept):
        return swept
    _plan.shortened = True
    _say_swept(f" instead of {len(swept)} times", user_frames.innermost())
    return [min(swept, key=_size)]


def enough(line: int) -> bool:
    """Tell whether a `while` that times one size after another is to end after its first round."""
    if _plan is None or _plan.timed:
        return False
    _plan.shortened = True
    place = user_frames.innermost()
    _say_swept("", (place[0], line) if place else None)
    return True


def _say_swept(instead: str, place: Place | None) -> None:
    line = f" at line {place[1]}" if place else ""
    run_notes.tell(
        f"the timing sweep{line} went once, at its smallest size,{instead}".rstrip(","),
        HOW_TO_RUN,
        place=place,
    )


def _has_size(value: Any) -> bool:
    numbers = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(item, int) and not isinstance(item, bool) for item in numbers)
