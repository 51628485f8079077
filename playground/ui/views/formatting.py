"""Numbers as people read them: times, byte counts and shares with their units."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.model.device import DeviceInfo
    from playground.model.measurement import CacheMode, ClockSource, Measurement

SOURCE_TEXT: dict[ClockSource, str] = {
    "cupti": "CUPTI kernel records",
    "proton": "Proton's kernel records",
    "graph": "CUDA graph",
    "events": "CUDA events",
    "interpreter": "interpreter, CPU wall time",
}
CACHE_TEXT: dict[CacheMode, str] = {"cold": "cold L2", "warm": "warm L2", "none": ""}

_UNITS = ((1e-3, "ns", 1e6), (1.0, "µs", 1e3), (1e3, "ms", 1.0))


def time_unit(time_ms: float) -> tuple[str, float]:
    """Return the unit that suits a time, and the factor from milliseconds to it."""
    for limit_ms, unit, factor in _UNITS:
        if abs(time_ms) < limit_ms:
            return unit, factor
    return "s", 1e-3


def significant(value: float, digits: int = 3) -> str:
    """Return `value` with about `digits` significant digits and no exponent below a million."""
    if value == 0:
        return "0"
    if abs(value) >= 10**digits - 0.5:
        return f"{value:,.0f}".replace(",", "\u2009")
    text = f"{value:.{digits}g}"
    if "e" in text:
        return text
    whole = len(text.split(".")[0].lstrip("-0"))
    return f"{value:.{max(digits - max(whole, 1), 0)}f}" if whole else text


def time_text(time_ms: float, digits: int = 3) -> str:
    """Return a time in the unit that suits it (`12.4 µs`)."""
    unit, factor = time_unit(time_ms)
    return f"{significant(time_ms * factor, digits)} {unit}"


def interval_text(low_ms: float, high_ms: float) -> str:
    """Return an interval of times in one unit (`12.1–12.6 µs`)."""
    unit, factor = time_unit(high_ms)
    return f"{significant(low_ms * factor, 4)}–{significant(high_ms * factor, 4)} {unit}"


def bytes_text(count: int) -> str:
    """Return a byte count in the binary unit that suits it (`48 KiB`)."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024 or unit == "GiB":
            return f"{count} B" if unit == "B" else f"{value:.4g} {unit}"
        value /= 1024
    raise AssertionError(value)


def count_text(count: int) -> str:
    """Return a whole number with thin spaces between thousands (`98 432`)."""
    return f"{count:,}".replace(",", "\u2009")


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as `4096 × 4096`, or `scalar`."""
    return " × ".join(count_text(size) for size in shape) if shape else "scalar"


def change_text(value: float, before: float) -> str:
    """Return a change against a baseline as `−12.3 %`."""
    share = value / before - 1.0
    if abs(share) < 0.0005:
        return "±0.0 %"
    return f"{'+' if share > 0 else '−'}{abs(share) * 100:.1f} %"


def ratio_text(ratio: float) -> str:
    """Return a ratio of times as a change, with as many digits as it deserves (`−1.93 %`)."""
    share = abs(ratio - 1.0) * 100
    digits = 2 if share < 9.995 else 1 if share < 99.95 else 0
    text = f"{share:.{digits}f}"
    if not float(text):
        return f"±{text} %"
    return f"{'+' if ratio > 1 else '−'}{text} %"


def floor_text(floor: float) -> str:
    """Return a noise floor as `±0.42 %`."""
    return f"±{significant(floor * 100, 2)} %"


def stopped_text(measurement: Measurement) -> str:
    """Return why sampling stopped, with its budget; empty where neither is known."""
    if measurement.budget_ms is None:
        return ""
    budget = f"{significant(measurement.budget_ms)} ms"
    if measurement.stopped == "settled":
        return f"stopped when the median was settled, within {budget}"
    return f"stopped when {budget} were spent"


def method_text(measurement: Measurement) -> str:
    """Return where samples come from: the clock source and the cache mode."""
    cache = CACHE_TEXT[measurement.cache]
    return SOURCE_TEXT[measurement.source] + (f", {cache}" if cache else "")


def measurement_text(measurement: Measurement) -> str:
    """Return a measurement in one line, with its interval, spread and method."""
    low, high = measurement.interval_ms
    count = len(measurement.samples_ms)
    return (
        f"{time_text(measurement.median_ms)}, 95 % {interval_text(low, high)}, "
        f"spread {measurement.spread * 100:.1f} %, {count} samples, {method_text(measurement)}"
    )


def ceiling_share(measurement: Measurement, device: DeviceInfo | None) -> float | None:
    """Return the bandwidth over the GPU's measured copy rate, or None where either is unknown."""
    rate = measurement.bandwidth_gbps
    if rate is None or device is None or not device.copy_ceiling_gbps:
        return None
    return rate / device.copy_ceiling_gbps
