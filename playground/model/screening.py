"""When a config of a sweep has been timed enough."""

from __future__ import annotations

from collections.abc import Sequence

from playground.model.statistics import median, median_interval

FEWEST_SAMPLES, MOST_SAMPLES = 10, 200
"""Samples of a config while a sweep screens."""
HOPELESS = 1.5
"""Median over the best so far from which a config is not timed to the end."""
NO_FINALIST = 1.15
"""Lower end of the interval over the best so far from which a config needs no closer look."""
SETTLED_WITHIN = 0.0025
"""Half width of the median's 95 % interval (relative) at which more samples change nothing."""


def is_hopeless(times_ms: Sequence[float], best_ms: float | None) -> bool:
    """Tell whether these samples show a config to be far from the best."""
    if best_ms is None or len(times_ms) < FEWEST_SAMPLES:
        return False
    return median(times_ms) > HOPELESS * best_ms


def is_known_well_enough(times_ms: Sequence[float], best_ms: float | None) -> bool:
    """Tell whether more samples would change nothing: settled, or surely no finalist."""
    if len(times_ms) < 2 * FEWEST_SAMPLES:
        return False
    low, high = median_interval(times_ms)
    if best_ms is not None and low > NO_FINALIST * best_ms:
        return True
    return len(times_ms) >= 50 and high - low <= 2 * SETTLED_WITHIN * median(times_ms)
