"""The finalists of a sweep in order: who is ahead, who is tied, and by how much the first leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playground.model.comparison import MATTERS, compared
from playground.model.config import Config
from playground.model.statistics import median

TIED_WITHIN = 0.02
"""Ratio of medians up to which two are tied, whatever their interval says."""


@dataclass(frozen=True)
class Margin:
    """How much slower the best config outside of the first group is: time ratio, 95 % interval."""

    rival: Config
    ratio: float
    low: float
    high: float

    def text(self) -> str:
        """Return `3.1 % ahead of BLOCK=64 (95 % interval 2.9 to 3.3 %)`."""
        ahead, low, high = (100 * (value - 1) for value in (self.ratio, self.low, self.high))
        return (
            f"{ahead:.1f} % ahead of {self.rival.label()} (95 % interval {low:.1f} to {high:.1f} %)"
        )


@dataclass(frozen=True)
class Ranking:
    """Groups of tied configs, fastest first; in each the one to take comes first.

    `margin` is None where nothing but the first group was timed.
    """

    groups: tuple[tuple[Config, ...], ...] = ()
    margin: Margin | None = None

    @property
    def winner(self) -> Config | None:
        """The config to take: of the fastest group the one that needs the least."""
        return self.groups[0][0] if self.groups else None

    def place(self, config: Config) -> int | None:
        """Return the number of a config's group, the first being 1."""
        for number, group in enumerate(self.groups, start=1):
            if config in group:
                return number
        return None


def ranked(
    rounds: Mapping[Config, Sequence[float]], shared_bytes: Mapping[Config, int | None]
) -> Ranking:
    """Return the ranking of configs that were timed in turns.

    Parameters
    ----------
    rounds
        Times by config, one a round: what disturbed a round disturbed all of them, so configs are
        compared round by round, as far as both ran. The intervals allow for all the comparisons
        made.
    shared_bytes
        Shared memory by config, where it is known.

    Two are tied when the interval of their ratio holds 1, or their ratio is within 2 %. The first
    of a group needs the fewest warps, stages and shared memory of those that are not measurably
    slower (by 0.5 %) than its fastest.
    """
    left = sorted(rounds, key=lambda config: median(rounds[config]))
    comparisons = max(len(left) - 1, 1)
    groups: list[tuple[Config, ...]] = []
    while left:
        fastest = left[0]
        ratios = {
            config: _in_common(rounds[config], rounds[fastest], comparisons) for config in left[1:]
        }
        tied = [c for c, (ratio, low, _) in ratios.items() if low <= 1 or ratio <= 1 + TIED_WITHIN]
        as_fast = [fastest, *(c for c in tied if ratios[c][1] <= 1 + MATTERS)]
        lead = min(as_fast, key=lambda config: _needs(config, shared_bytes.get(config)))
        group = [lead, *(config for config in (fastest, *tied) if config != lead)]
        groups.append(tuple(group))
        left = [config for config in left if config not in group]
    margin = None
    if len(groups) > 1:
        rival = min(groups[1], key=lambda config: median(rounds[config]))
        ratio, low, high = _in_common(rounds[rival], rounds[groups[0][0]], comparisons)
        margin = Margin(rival, ratio, low, high)
    return Ranking(tuple(groups), margin)


def in_question(rounds: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """Return which of these contestants more rounds may still tell something of, the fastest too.

    Empty when nothing is open: each is clearly slower, or clearly as fast.
    """
    if len(rounds) < 2:
        return ()
    fastest = min(range(len(rounds)), key=lambda index: median(rounds[index]))
    open_ones = [
        index
        for index, times in enumerate(rounds)
        if index != fastest
        and compared(times, rounds[fastest], looks=len(rounds) - 1)[3] == "unsure"
    ]
    return tuple(sorted([fastest, *open_ones])) if open_ones else ()


def _in_common(
    times: Sequence[float], others: Sequence[float], looks: int
) -> tuple[float, float, float]:
    """Return the ratio of two and its interval from the rounds in which both ran."""
    count = min(len(times), len(others))
    return compared(times[:count], others[:count], looks=looks)[:3]


def _needs(config: Config, shared_bytes: int | None) -> tuple[float, float, float]:
    def number(name: str) -> float:
        value = config.as_dict().get(name)
        return float(value) if isinstance(value, (int, float)) else 0.0

    return number("num_warps"), number("num_stages"), float(shared_bytes or 0)
