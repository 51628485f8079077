"""Order statistics against NumPy, and intervals against counting."""

from __future__ import annotations

import math

import numpy as np
import pytest

from playground.model.config import Config
from playground.model.measurement import Measurement
from playground.model.statistics import median, median_interval, quantile


@pytest.mark.parametrize("count", [1, 2, 3, 10, 101])
def test_quantiles_are_numpys(count: int) -> None:
    samples = np.random.default_rng(count).lognormal(size=count)
    for q in (0.0, 0.1, 0.25, 0.5, 0.75, 0.99, 1.0):
        assert quantile(samples.tolist(), q) == pytest.approx(np.quantile(samples, q), rel=1e-12)
    assert median(samples.tolist()) == pytest.approx(np.median(samples), rel=1e-12)


def test_what_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="no samples"):
        quantile([], 0.5)
    with pytest.raises(ValueError, match="no samples"):
        median_interval([])
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile([1.0], 1.5)


@pytest.mark.parametrize("count", [1, 5, 6, 7, 20, 99, 1000])
def test_the_interval_is_the_narrowest_with_that_confidence(count: int) -> None:
    low, high = median_interval(list(range(count)))
    rank = low + 1
    assert (low, high) == (rank - 1, count - rank)

    def covered(k: float) -> float:
        # The median lies between the k-th smallest and k-th largest unless fewer than k samples
        # fall on one side of it: exact binomial counting.
        below = sum(math.comb(count, i) for i in range(int(k)))
        return 1 - 2 * below / 2**count

    if count >= 6:
        assert covered(rank) >= 0.95
        assert covered(rank + 1) < 0.95
    else:
        assert (low, high) == (0, count - 1)


def test_figures_of_a_measurement() -> None:
    samples = (1.0, 2.0, 3.0, 4.0)
    timed = Measurement(0, Config(), samples, "cupti", "cold", 10**9, 10**9, 5 * 10**9)
    assert timed.median_ms == 2.5
    assert timed.bandwidth_gbps == pytest.approx(400.0)  # 1 GB in 2.5 ms
    assert timed.tflops == pytest.approx(2.0)  # 5 GFLOP in 2.5 ms
    quartiles = np.quantile(samples, [0.25, 0.75])
    assert timed.spread == pytest.approx((quartiles[1] - quartiles[0]) / 2.5)
    assert timed.interval_ms == (1.0, 4.0)


def test_the_interpreter_has_no_bandwidth() -> None:
    wall = Measurement(0, Config(), (1.0, 2.0), "interpreter", "none", 10**9, 10**9, 10**9)
    assert wall.bandwidth_gbps is None
    assert wall.tflops is None
    uncounted = Measurement(0, Config(), (1.0,), "cupti", "cold")
    assert uncounted.bandwidth_gbps is None
    assert uncounted.tflops is None
    still = Measurement(0, Config(), (0.0,), "cupti", "cold", 1, 1, 1)
    assert (still.spread, still.bandwidth_gbps, still.tflops) == (0.0, None, None)
