"""Two sweeps side by side: which configs got faster or slower, and winner against winner."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from playground.model.comparison import MATTERS, SAME_WITHIN
from playground.model.config import Config
from playground.model.sweep import SweepResult, SweepRow, SweepStatus
from playground.model.sweep_views import comparable

Change = Literal["faster", "slower", "same", "unsure", "mended", "broken", "failed", "new", "gone"]
"""`mended` and `broken`: right in one of them only; `failed`: in neither; `new` and `gone`: tried
in one of them only."""

CHANGES: tuple[Change, ...] = (
    "faster", "slower", "unsure", "same", "mended", "broken", "failed", "new", "gone",
)  # fmt: skip

_TRIED: frozenset[SweepStatus] = frozenset(
    ("correct", "wrong", "unjudged", "compile", "resources", "runtime", "timeout")
)


@dataclass(frozen=True)
class ConfigChange:
    """One config in both sweeps; `ratio` is its time after over before, None where not timed twice.

    `low` and `high` bound the ratio: the interval of one time over the other's, so they hold what
    is between two sweeps (drift, clocks) only as far as it was within them.
    """

    config: Config
    before: SweepRow | None
    after: SweepRow | None
    change: Change
    ratio: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class WinnerChange:
    """The winners of both sweeps, each with its time before and after where it has one (ms)."""

    before: Config
    after: Config
    before_ms: tuple[float | None, float | None]
    after_ms: tuple[float | None, float | None]

    @property
    def is_same(self) -> bool:
        """Whether the same config won twice."""
        return self.before == self.after

    @property
    def ratio(self) -> float | None:
        """Time of the winner after over that of the winner before."""
        first, second = self.before_ms[0], self.after_ms[1]
        return second / first if first and second else None

    @property
    def loss(self) -> float | None:
        """What keeping the old winner costs in the second sweep: its time there over the best."""
        kept, best = self.before_ms[1], self.after_ms[1]
        return kept / best if kept and best else None


@dataclass(frozen=True)
class SweepComparison:
    """Every config of two sweeps, those that changed most first.

    `mean` is the geometric mean of the ratios of configs timed in both. `order_kept` is the share
    of pairs of them that stand in the same order in both (ties count half; 1.0: the same ranking,
    0.5: no relation). Both are None where fewer than one, or two, were timed in both.
    """

    changes: tuple[ConfigChange, ...]
    winner: WinnerChange | None
    mean: float | None
    order_kept: float | None

    def count(self, change: Change) -> int:
        """Return how many configs changed so."""
        return sum(item.change == change for item in self.changes)

    @property
    def timed(self) -> int:
        """Number of configs timed in both."""
        return sum(item.ratio is not None for item in self.changes)


def compare_sweeps(before: SweepResult, after: SweepResult) -> SweepComparison:
    """Return how the second sweep differs from the first, config by config.

    A config counts as faster or slower where the whole interval of its ratio lies beyond 0.5 %, as
    the same where the interval lies within 1 %, else as unsure. Where a sweep had several devices,
    its times are put on one scale first. Times that were cut short, because
    the config was far from the best, are about right only: such a config is never called the same.
    """
    first = {row.config: row for row in comparable(before.rows) if row.status in _TRIED}
    second = {row.config: row for row in comparable(after.rows) if row.status in _TRIED}
    changes = [_change(config, first.get(config), second.get(config))
               for config in dict.fromkeys([*first, *second])]  # fmt: skip
    changes.sort(key=_weight)
    pairs = [
        (item.before.median_ms, item.after.median_ms)
        for item in changes
        if item.ratio is not None and item.before and item.after
    ]
    timed = [(one, other) for one, other in pairs if one and other]
    mean = None
    if timed:
        mean = math.exp(math.fsum(math.log(other / one) for one, other in timed) / len(timed))
    return SweepComparison(
        tuple(changes), _winner(before, after, first, second), mean, order_kept(timed)
    )


def order_kept(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the share of pairs of points in the same order in both coordinates, ties half.

    That is (τ + 1) / 2 of Kendall's τ-a; None for fewer than two points.
    """
    count = len(pairs)
    if count < 2:
        return None
    score = 0.0
    seen: list[float] = []
    ordered = sorted(pairs)
    start = 0
    while start < count:
        end = start
        while end < count and ordered[end][0] == ordered[start][0]:
            end += 1
        group = [other for _, other in ordered[start:end]]
        for other in group:
            low, high = bisect.bisect_left(seen, other), bisect.bisect_right(seen, other)
            score += low + (high - low) / 2
        score += len(group) * (len(group) - 1) / 4  # ties of the first coordinate: half each
        for other in group:
            bisect.insort(seen, other)
        start = end
    return score / (count * (count - 1) / 2)


def _winner(
    before: SweepResult, after: SweepResult, first: dict[Config, SweepRow],
    second: dict[Config, SweepRow],
) -> WinnerChange | None:  # fmt: skip
    if before.best is None or after.best is None:
        return None

    def times(config: Config) -> tuple[float | None, float | None]:
        rows = (first.get(config), second.get(config))
        one, other = (row.median_ms if row and row.status == "correct" else None for row in rows)
        return one, other

    old, new = before.best.config, after.best.config
    return WinnerChange(old, new, times(old), times(new))


def _change(config: Config, before: SweepRow | None, after: SweepRow | None) -> ConfigChange:
    if before is None or after is None:
        return ConfigChange(config, before, after, "new" if before is None else "gone")
    right = [row.status in ("correct", "unjudged") for row in (before, after)]
    if not all(right):
        change: Change = "failed" if not any(right) else "broken" if right[0] else "mended"
        return ConfigChange(config, before, after, change)
    if not before.median_ms or not after.median_ms:
        return ConfigChange(config, before, after, "same")
    ratio = after.median_ms / before.median_ms
    low = (after.low_ms or after.median_ms) / (before.high_ms or before.median_ms)
    high = (after.high_ms or after.median_ms) / (before.low_ms or before.median_ms)
    if high < 1 - MATTERS:
        change = "faster"
    elif low > 1 + MATTERS:
        change = "slower"
    elif low > 1 - SAME_WITHIN and high < 1 + SAME_WITHIN and not (
        before.screened or after.screened
    ):  # fmt: skip
        change = "same"
    else:
        change = "unsure"
    return ConfigChange(config, before, after, change, ratio, low, high)


def _weight(item: ConfigChange) -> tuple[int, float]:
    """Sort what was timed twice by how much it changed; the rest follows, what broke first."""
    if item.ratio is not None:
        return 0, -abs(math.log(item.ratio))
    order: tuple[Change, ...] = ("broken", "mended", "new", "gone", "same", "failed")
    return 1 + order.index(item.change), 0.0


def counts_text(changes: Iterable[ConfigChange]) -> str:
    """Return `12 faster, 3 slower, 40 unsure`, in the order of `CHANGES`."""
    kinds = [item.change for item in changes]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in CHANGES if kind in kinds)
