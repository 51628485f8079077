"""Order statistics of timing samples: no normal distribution is assumed anywhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def quantile(samples: Sequence[float], q: float) -> float:
    """Return the `q`-quantile with linear interpolation (NumPy's default, Hyndman and Fan type 7).

    Raises
    ------
    ValueError
        There are no samples, or `q` is outside [0, 1].
    """
    if not samples:
        raise ValueError("no samples to take a quantile of")
    if not 0 <= q <= 1:
        raise ValueError(f"a quantile lies between 0 and 1, not at {q}")
    ordered = sorted(samples)
    position = q * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def median(samples: Sequence[float]) -> float:
    """Return the median of `samples`."""
    return quantile(samples, 0.5)


def median_interval(samples: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return a distribution-free interval of the median from order statistics.

    The ranks come from the binomial distribution with p = 1/2: the largest k with
    P(X <= k - 1) <= (1 - confidence) / 2 gives the k-th smallest and k-th largest sample
    (David and Nagaraja, Order Statistics, section 7.1). Under six samples it is the range.
    """
    if not samples:
        raise ValueError("no samples to take an interval of")
    ordered = sorted(samples)
    count = len(ordered)
    tail = (1 - confidence) / 2
    log_half = count * math.log(0.5)
    cumulative, rank = 0.0, 0
    while rank < count // 2:
        log_choose = math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1)
        cumulative += math.exp(log_choose + log_half)
        if cumulative > tail:
            break
        rank += 1
    index = max(rank - 1, 0)
    return ordered[index], ordered[count - 1 - index]
