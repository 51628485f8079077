"""What the telemetry shows: each quantity's name, unit and value, and the span of its axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.model.measurement import ClockState


@dataclass(frozen=True)
class Quantity:
    """One curve of the strip.

    `least` is the smallest span of its axis, or noise would fill it; `ends` fix the axis.
    """

    id: str
    title: str
    short: str
    unit: str
    value: Callable[[ClockState], float | None]
    least: float
    token: str
    ends: tuple[float, float] | None = None

    def text(self, state: ClockState) -> str:
        """Return the value with its unit, or a dash where NVML gives none."""
        value = self.value(state)
        return f"{value:.0f} {self.unit}" if value is not None else f"– {self.unit}"


QUANTITIES = (
    Quantity("sm", "SM clock", "SM", "MHz", lambda s: s.sm_clock_mhz, 200.0, "plot_1"),
    Quantity("power", "Power", "", "W", lambda s: s.power_w, 50.0, "plot_2"),
    Quantity("temperature", "Temperature", "", "°C", lambda s: s.temperature_c, 10.0, "plot_4"),
    Quantity(
        "use", "Utilisation", "busy", "%", lambda s: s.utilisation, 100.0, "plot_3", (0.0, 100.0)
    ),
    Quantity("memory", "Memory clock", "mem", "MHz", lambda s: s.memory_clock_mhz, 200.0, "plot_7"),
)


def span(values: Sequence[float], least: float) -> tuple[float, float]:
    """Return the axis for these values: at least `least` wide, with ends that rarely move."""
    low, high = min(values), max(values)
    step = least / 2
    # What hardly changes is drawn in the middle: at the foot it would look like nothing.
    margin = step / 2 if high - low < step else 0.0
    bottom = max(math.floor((low - margin) / step) * step, 0.0)
    return bottom, max(math.ceil(high / step) * step, bottom + least)
