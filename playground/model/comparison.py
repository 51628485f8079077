"""A comparison: two things timed in turns, and whether one is faster."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from playground.model.measurement import CacheMode, ClockSource
from playground.model.statistics import median, median_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

Verdict = Literal["faster", "slower", "same", "unsure"]

MATTERS = 0.005
"""A difference is claimed when the whole interval lies beyond this (relative)."""
SAME_WITHIN = 0.01
"""Two are the same when the whole interval lies within this (relative)."""
FEWEST_ROUNDS = 20
"""Rounds under which nothing is claimed: the interval's ranks would be the extremes."""


@dataclass(frozen=True)
class Comparison:
    """Two contestants timed in random turns, round by round.

    `ratio` is the median over the rounds of a's time over b's; `low` and `high` bound it (95 %, or
    stricter when it was looked at several times). `floor` is the relative difference that a config
    shows against itself on this machine: what is smaller means nothing. `looks` counts how often
    the rounds were judged so far. Times are in ms, one pair a round.
    """

    a: str
    b: str
    a_ms: tuple[float, ...] = field(repr=False)
    b_ms: tuple[float, ...] = field(repr=False)
    ratio: float
    low: float
    high: float
    verdict: Verdict
    source: ClockSource
    cache: CacheMode
    floor: float = 0.0
    looks: int = 1
    elapsed_ms: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def rounds(self) -> int:
        """Number of rounds in which both ran."""
        return len(self.a_ms)

    def text(self) -> str:
        """Return the verdict in one line."""
        change = (
            f"{_percent(self.ratio)} (95 % interval {_percent(self.low)} to {_percent(self.high)})"
        )
        where = f"{self.rounds} interleaved rounds, {self.source}, {self.cache} L2"
        if self.verdict == "unsure":
            return f"unsure whether {self.a} differs from {self.b}: {change}; measure more; {where}"
        if self.verdict == "same":
            return f"{self.a} is as fast as {self.b}: {change}; {where}"
        return f"{self.a} is {self.verdict} than {self.b}: time {change}; {where}"


def compared(
    a_ms: Sequence[float], b_ms: Sequence[float], *, floor: float = 0.0, looks: int = 1
) -> tuple[float, float, float, Verdict]:
    """Return the median ratio a over b, its interval, and the verdict.

    Parameters
    ----------
    a_ms, b_ms
        One pair a round: what disturbed a round disturbed both, so pairs are compared, not pools.
    floor
        Relative difference under which nothing is claimed (a config against itself).
    looks
        How often the data was, or will be, looked at with the option to stop: the interval is
        widened by Bonferroni's bound, so that looking often finds nothing that is not there.

    Raises
    ------
    ValueError
        There is no round, or the rounds are not pairs.

    The interval is that of the median from order statistics (see `median_interval`): free of any
    distribution, and the same for the logarithm and the ratio, since ranks do not change.
    """
    if not a_ms or len(a_ms) != len(b_ms):
        raise ValueError(f"rounds are pairs of times: {len(a_ms)} against {len(b_ms)} were given")
    logs = [math.log(one / other) for one, other in zip(a_ms, b_ms, strict=True)]
    low, high = median_interval(logs, 1 - 0.05 / max(looks, 1))
    return (
        math.exp(median(logs)),
        math.exp(low),
        math.exp(high),
        _verdict(low, high, len(logs), floor),
    )


def _verdict(low: float, high: float, rounds: int, floor: float) -> Verdict:
    if rounds < FEWEST_ROUNDS:
        return "unsure"
    matters = math.log1p(max(MATTERS, floor))
    same = math.log1p(max(SAME_WITHIN, floor))
    if high < -matters:
        return "faster"
    if low > matters:
        return "slower"
    if -same < low and high < same:
        return "same"
    return "unsure"


def noise_floor(medians: Sequence[float], resolution: float = 0.0) -> float:
    """Return the relative difference that two runs of one config may show: 95 % stay within it.

    Parameters
    ----------
    medians
        The median time of each of several runs of the same config, in any unit.
    resolution
        One step of the clock in the same unit: medians closer than that cannot be told apart.

    The standard deviation of the runs' logarithms, times the square root of two for a difference,
    times Student's t for so few runs (two-sided 95 %).

    Raises
    ------
    ValueError
        There are fewer than three runs.
    """
    count = len(medians)
    if count < 3:
        raise ValueError(f"a noise floor needs at least three runs, not {count}")
    logs = [math.log(value) for value in medians]
    mean = sum(logs) / count
    deviation = math.sqrt(sum((item - mean) ** 2 for item in logs) / (count - 1))
    spread = math.expm1(_student_t(count - 1) * math.sqrt(2) * deviation)
    return max(spread, resolution / median(medians))


_T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
          2.160, 2.145, 2.131)  # fmt: skip
"""Student's t at 97.5 % for 1 to 15 degrees of freedom (any table of the distribution)."""


def _student_t(freedom: int) -> float:
    # Beyond the table the Cornish-Fisher expansion is right to three digits.
    if freedom <= len(_T_975):
        return _T_975[freedom - 1]
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _percent(ratio: float) -> str:
    return f"{(ratio - 1) * 100:+.2f} %"
