"""What the views of a sweep draw: its knobs and their values, a grid over two, the best so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from playground.model.config import Config
from playground.model.importance import order_of
from playground.model.knobs import KnobValue
from playground.model.sweep import SweepRow, timed_rows


def knob_values(rows: Iterable[SweepRow]) -> dict[str, tuple[KnobValue, ...]]:
    """Return every value that each knob takes among the rows, numbers by size."""
    found: dict[str, dict[tuple[str, KnobValue], KnobValue]] = {}
    for row in rows:
        for name, value in row.config.values:
            found.setdefault(name, {}).setdefault((type(value).__name__, value), value)
    return {name: tuple(sorted(values.values(), key=order_of)) for name, values in found.items()}


def varying(rows: Sequence[SweepRow]) -> tuple[str, ...]:
    """Return the knobs that differ among the rows; all of them where none does."""
    values = knob_values(rows)
    return tuple(name for name, each in values.items() if len(each) > 1) or tuple(values)


def time_of(row: SweepRow) -> float | None:
    """Return the time that a row counts with: of a right result only, in ms."""
    return row.median_ms if row.status == "correct" else None


def comparable(rows: Sequence[SweepRow]) -> list[SweepRow]:
    """Return the rows with all times on one scale, that of the device of the fastest.

    Where one device took part they are as they are. Of several, a time is that of the config which
    was timed on all of them, times how much slower this one was beside it; a row without that has
    no time here, since times of different devices say nothing of each other.
    """
    timed = timed_rows(rows)
    if len({row.device for row in timed}) < 2 or timed[0].relative is None:
        return list(rows)
    whole_ms = (timed[0].median_ms or 0.0) / timed[0].relative
    found = []
    for row in rows:
        if row.median_ms is None:
            found.append(row)
        elif row.relative is None:
            found.append(replace(row, median_ms=None, low_ms=None, high_ms=None))
        else:
            factor = whole_ms * row.relative / row.median_ms
            low, high = (None if ms is None else ms * factor for ms in (row.low_ms, row.high_ms))
            found.append(replace(row, median_ms=row.median_ms * factor, low_ms=low, high_ms=high))
    return found


def fastest(rows: Iterable[SweepRow]) -> SweepRow | None:
    """Return the fastest right row, those timed in turns by their place first."""
    timed = timed_rows(rows)
    return min(timed, key=lambda row: row.place or len(timed) + 1, default=None)


@dataclass(frozen=True)
class Cell:
    """The configs at one pair of values: `best` is the fastest right one, else one that tells why.

    `best` is None where none was tried there; `time_ms` where none was right and timed.
    """

    best: SweepRow | None = None
    configs: int = 0
    right: int = 0

    @property
    def time_ms(self) -> float | None:
        """Time of the best config here."""
        return time_of(self.best) if self.best is not None else None


@dataclass(frozen=True)
class Grid:
    """Cells over two knobs: `cells[i][j]` is at `ys[i]` and `xs[j]`."""

    x: str
    y: str
    xs: tuple[KnobValue, ...]
    ys: tuple[KnobValue, ...]
    cells: tuple[tuple[Cell, ...], ...]


def grid(
    rows: Sequence[SweepRow], x: str, y: str, fixed: Mapping[str, KnobValue] | None = None
) -> Grid:
    """Return the best config for every pair of values of two knobs.

    Parameters
    ----------
    fixed
        Values of other knobs that the cells are a slice at; knobs not in it take what is best.
    """
    values = knob_values(rows)
    xs, ys = values.get(x, ()), values.get(y, ())
    at_x, at_y = ({_key(v): i for i, v in enumerate(each)} for each in (xs, ys))
    held = {name: _key(value) for name, value in (fixed or {}).items() if name not in (x, y)}
    found: dict[tuple[int, int], list[SweepRow]] = {}
    for row in rows:
        given = row.config.as_dict()
        if x not in given or y not in given:
            continue
        if all(_key(given.get(name)) == value for name, value in held.items()):
            place = (at_y[_key(given[y])], at_x[_key(given[x])])
            found.setdefault(place, []).append(row)
    return Grid(x, y, xs, ys, tuple(
        tuple(_cell(found.get((i, j), [])) for j in range(len(xs))) for i in range(len(ys))
    ))  # fmt: skip


@dataclass(frozen=True)
class Improvement:
    """A config that was faster than all before it, as the `measured`-th that was timed.

    `at_s` is when, in seconds from the start of the sweep, None where the store did not keep it.
    """

    row: SweepRow
    measured: int
    at_s: float | None


@dataclass(frozen=True)
class Convergence:
    """How the best time fell; `measured` configs were timed in all, the last at `end_s`."""

    points: tuple[Improvement, ...] = ()
    timed: tuple[Improvement, ...] = ()

    @property
    def measured(self) -> int:
        """Number of right configs that were timed."""
        return len(self.timed)

    @property
    def has_seconds(self) -> bool:
        """Whether it is known when each was timed."""
        return bool(self.timed) and all(item.at_s is not None for item in self.timed)

    def within(self, share: float) -> Improvement | None:
        """Return the first that came within `share` of the best in the end (0.02: 2 %)."""
        if not self.points:
            return None
        best_ms = self.points[-1].row.median_ms or 0.0
        return next(
            (item for item in self.points if (item.row.median_ms or 0.0) <= best_ms * (1 + share)),
            None,
        )


def convergence(rows: Sequence[SweepRow]) -> Convergence:
    """Return the best so far over the rows in the order in which they were timed.

    Times are those that stand in the rows now: a finalist's is that of its turns at the end.
    """
    timed = [row for row in rows if time_of(row) is not None]
    if all(row.at_s is not None for row in timed):
        timed.sort(key=lambda row: row.at_s or 0.0)
    every = [Improvement(row, number, row.at_s) for number, row in enumerate(timed, start=1)]
    points: list[Improvement] = []
    for item in every:
        if not points or (item.row.median_ms or 0.0) < (points[-1].row.median_ms or 0.0):
            points.append(item)
    return Convergence(tuple(points), tuple(every))


def same_config(one: Config, other: Config) -> bool:
    """Tell whether two configs give the same values, in whatever order their knobs stand."""
    return one.as_dict() == other.as_dict()


def _cell(rows: Sequence[SweepRow]) -> Cell:
    if not rows:
        return Cell()
    best = fastest(rows)
    right = sum(row.status == "correct" for row in rows)
    if best is None:
        # Without times a right one stands for the cell; else what was tried and failed.
        order = ("correct", "unjudged", "wrong", "runtime", "timeout", "resources", "compile",
                 "cancelled", "constraint")  # fmt: skip
        best = min(rows, key=lambda row: order.index(row.status))
    return Cell(best, len(rows), right)


def _key(value: KnobValue) -> tuple[str, KnobValue]:
    return type(value).__name__, value
