"""Nsight Compute's figures as rows of a table, each beside the app's own where it has one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.ui.views.formatting import change_text, significant, time_text
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from playground.model.compiling import CompileReport
    from playground.model.launch import Launch
    from playground.model.measurement import Measurement
    from playground.model.nsight import Metric, NsightReport

_TIME_MS = {
    "ns": 1e-6, "nsecond": 1e-6, "us": 1e-3, "usecond": 1e-3, "ms": 1.0, "msecond": 1.0,
    "s": 1e3, "second": 1e3,
}  # fmt: skip
_RATE_GBPS = {"byte/s": 1e-9, "kbyte/s": 1e-6, "mbyte/s": 1e-3, "gbyte/s": 1.0, "tbyte/s": 1e3}
_BYTES = {"byte/block": 1.0, "kbyte/block": 1e3, "mbyte/block": 1e6}


@dataclass(frozen=True)
class NsightRow:
    """One metric; `ours` is the app's own figure, `apart` how far Nsight's is from it."""

    section: str
    name: str
    value: str
    number: float | None
    unit: str
    ours: str = ""
    apart: str = ""
    tip: str = ""


def nsight_rows(
    report: NsightReport,
    measurement: Measurement | None,
    compiled: CompileReport | None,
    launch: Launch | None,
) -> tuple[NsightRow, ...]:
    """Return every metric in the order of the sections."""
    return tuple(_row(metric, measurement, compiled, launch) for metric in report.metrics)


def duration_ms(report: NsightReport) -> float | None:
    """Return the duration that Nsight Compute measured in ms, or None."""
    metric = next((item for item in report.metrics if item.name == "Duration"), None)
    if metric is None or metric.number is None:
        return None
    factor = _TIME_MS.get(metric.unit.lower())
    return metric.number * factor if factor else None


def _row(
    metric: Metric,
    measurement: Measurement | None,
    compiled: CompileReport | None,
    launch: Launch | None,
) -> NsightRow:
    number, unit = metric.number, metric.unit
    ours, theirs, text, tip = None, number, "", ""
    low = unit.lower()
    if metric.name == "Duration" and measurement is not None and low in _TIME_MS:
        ours, text = measurement.median_ms, time_text(measurement.median_ms, 4)
        theirs = number * _TIME_MS[low] if number is not None else None
        tip = (
            f"Our median, {measurement.source}, {measurement.cache} L2; Nsight Compute runs the "
            "kernel once a pass with its caches flushed and its clocks as they are"
        )
    elif metric.name == "Memory Throughput" and low in _RATE_GBPS and measurement is not None:
        ours = measurement.bandwidth_gbps
        text = f"{significant(ours, 4)} GB/s" if ours else ""
        theirs = number * _RATE_GBPS[low] if number is not None else None
        tip = "Ours is each element counted once; Nsight's is what really went over the memory bus"
    elif compiled is not None:
        ours, text, tip = _compiled(metric, compiled, low)
        if metric.name == "Dynamic Shared Memory Per Block" and number is not None:
            theirs = number * _BYTES.get(low, 1.0)
    if metric.name == "Grid Size" and launch is not None:
        ours, text = float(launch.programs), str(launch.programs)
        tip = "Programs of the launch as captured; another config can have another grid"
    apart = ""
    if ours is not None and theirs is not None:
        apart = "same" if theirs == ours else change_text(theirs, ours) if ours else ""
    return NsightRow(metric.section, metric.name, metric.value, number, unit, text, apart, tip)


def _compiled(metric: Metric, compiled: CompileReport, unit: str) -> tuple[float | None, str, str]:
    occupancy = compiled.occupancy
    if metric.name == "Registers Per Thread" and compiled.registers is not None:
        return compiled.registers, str(compiled.registers), "From the compiled code"
    if metric.name == "Block Size" and compiled.threads is not None:
        return compiled.threads, str(compiled.threads), "Threads of a program"
    if metric.name == "Dynamic Shared Memory Per Block" and compiled.shared_bytes is not None:
        return compiled.shared_bytes, f"{compiled.shared_bytes} B", "From the compiled code"
    if occupancy is None:
        return None, "", ""
    if metric.name == "Theoretical Occupancy":
        share = 100 * occupancy.warps_per_sm / occupancy.max_warps_per_sm
        return share, occupancy.share_text, f"Limited by {occupancy.limiter}"
    if metric.name == "Theoretical Active Warps per SM":
        warps = occupancy.warps_per_sm
        return warps, str(warps), f"Limited by {occupancy.limiter}"
    return None, "", ""


NSIGHT_COLUMNS: tuple[Column[NsightRow], ...] = (
    Column("Metric", lambda row: row.name, tip=lambda row: f"{row.section}: {row.name}"),
    Column(
        "Nsight", lambda row: row.number if row.number is not None else row.value,
        lambda row: f"{row.value} {row.unit}".rstrip(), numeric=True,
    ),
    Column("Ours", lambda row: row.ours, numeric=True, tip=lambda row: row.tip),
    Column("Against ours", lambda row: row.apart, numeric=True, tip=lambda row: row.tip),
    Column("Section", lambda row: row.section, tip=lambda row: row.section),
    Column("Unit", lambda row: row.unit),
)  # fmt: skip
