"""The noise floor: how far two runs of one and the same config differ on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.engine.clocks import cupti, events
from playground.model.comparison import noise_floor

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.measurement import Measurement

RUNS = 8
RUN_MS = 20.0
"""Measuring time of each run: little, for the floor is there before any comparison is believed."""


def measured_floor(run: Callable[[float], Measurement]) -> float:
    """Return the noise floor of a config, relative (0.01 is one per cent).

    Parameters
    ----------
    run
        Measures the config once within the given budget in ms.
    """
    runs = [run(RUN_MS) for _ in range(RUNS)]
    step_ms = cupti.RESOLUTION_MS if runs[0].source in ("cupti", "proton") else events.RESOLUTION_MS
    if runs[0].source == "graph":
        step_ms = 0.0  # divided by the launches of a graph: far below the spread
    return noise_floor([item.median_ms for item in runs], step_ms)
