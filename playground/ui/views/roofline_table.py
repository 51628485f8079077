"""The table twin of a roofline: its ceilings, then every config under them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.ui.views.formatting import method_text, significant, time_text
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from playground.model.roofline import Ceilings, Standing
    from playground.ui.document_roofline import RoofPoint

_ROLES = {"current": "this config", "baseline": "baseline", "history": "config tried"}


@dataclass(frozen=True)
class RoofRow:
    """A ceiling or a config: its figure with its unit, and where it comes from."""

    kind: str
    name: str
    figure: float | None
    unit: str
    time_ms: float | None = None
    share: float | None = None
    source: str = ""
    point: RoofPoint | None = None


def roof_rows(
    ceilings: Ceilings, standing: Standing | None, points: tuple[RoofPoint, ...]
) -> tuple[RoofRow, ...]:
    """Return the rows: ceilings, the floor of the launch, the configs timed."""
    known = "measured" if ceilings.measured else "expected, not measured"
    kind, source = f"ceiling, {known}", ceilings.source
    rows = [RoofRow(kind, "device memory", ceilings.copy_gbps, "GB/s", source=source)]
    if ceilings.l2_gbps:
        rows.append(RoofRow(kind, "L2", ceilings.l2_gbps, "GB/s", source=source))
    rows += [
        RoofRow(kind, name if name == "fp32 fma" else f"{name} matrix products", rate, "TFLOP/s",
                source=source)
        for name, rate in ceilings.tflops
    ]  # fmt: skip
    if ceilings.launch_ms is not None:
        rows.append(
            RoofRow(kind, "an empty kernel", None, "", ceilings.launch_ms, source=source)
        )  # fmt: skip
    if standing is not None:
        rows.append(RoofRow("floor", f"bound by {bound_text(standing)}", None, "",
                            standing.floor_ms, 1.0, "counted bytes and operations"))  # fmt: skip
    for point in reversed(points):
        tflops = bool(point.flops)
        share = standing.floor_ms / point.measurement.median_ms if standing is not None else None
        rows.append(
            RoofRow(
                _ROLES[point.role], point.measurement.config.label(),
                point.tflops if tflops else point.gbps, "TFLOP/s" if tflops else "GB/s",
                point.measurement.median_ms, share, method_text(point.measurement), point,
            )
        )  # fmt: skip
    return tuple(rows)


def bound_text(standing: Standing) -> str:
    """Return what bounds a launch, in words."""
    return {
        "memory": "device memory",
        "arithmetic": f"matrix products ({standing.kind})",
        "launch": "the launch itself",
    }[standing.bound]


ROOF_COLUMNS: tuple[Column[RoofRow], ...] = (
    Column("What", lambda row: row.kind),
    Column("Name", lambda row: row.name, tip=lambda row: row.name),
    Column(
        "Rate", lambda row: row.figure,
        lambda row: "" if row.figure is None else significant(row.figure, 4), numeric=True,
    ),
    Column("Unit", lambda row: row.unit),
    Column(
        "Time", lambda row: row.time_ms,
        lambda row: "" if row.time_ms is None else time_text(row.time_ms, 4),
        numeric=True, unit="ms",
    ),
    Column(
        "Of the roof", lambda row: row.share,
        lambda row: "" if row.share is None else f"{row.share * 100:.1f} %", numeric=True,
    ),
    Column("Source", lambda row: row.source, tip=lambda row: row.source),
)  # fmt: skip
