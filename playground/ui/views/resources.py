"""A compile report as rows of a table, each beside the baseline's figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.ui.views.formatting import (
    bytes_text,
    change_text,
    count_text,
    significant,
    time_text,
)
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.compiling import CompileReport, Occupancy, Waves


@dataclass(frozen=True)
class Resource:
    """One figure of a compile report, the baseline's, and how it changed."""

    name: str
    text: str
    number: float | None
    before: str = ""
    change: str = ""
    tip: str = ""


def resources(report: CompileReport, baseline: CompileReport | None) -> tuple[Resource, ...]:
    """Return the figures of `report` in the order people look for them."""

    def row(
        name: str,
        pick: Callable[[CompileReport], int | None],
        show: Callable[[int], str],
        tip: str = "",
    ) -> Resource:
        value = pick(report)
        old = pick(baseline) if baseline is not None else None
        text = "not reported" if value is None else show(value)
        if old is None or value is None:
            return Resource(name, text, value, "", "", tip)
        if old == value:
            return Resource(name, text, value, show(old), "same", tip)
        change = change_text(value, old) if old else f"+{show(value)}"
        return Resource(name, text, value, show(old), change, tip)

    kinds = ", ".join(f"{count} {name}" for name, count in report.register_kinds)
    rows = [
        row("Registers a thread", lambda r: r.registers, count_text, kinds),
        row(
            "Spilled a thread", lambda r: r.spill_bytes, bytes_text,
            "Stored to local memory because registers did not suffice",
        ),
        row("Stack a thread", lambda r: r.stack_bytes, bytes_text),
        row(
            "Shared memory, dynamic", lambda r: r.shared_bytes, bytes_text,
            "Asked for at the launch, for one program",
        ),
        row(
            "Shared memory, static", lambda r: r.static_shared_bytes, bytes_text,
            "Declared by the code itself, for one program",
        ),
        row("Threads a program", lambda r: r.threads, count_text),
        row(
            "Programs a multiprocessor",
            lambda r: r.occupancy.programs_per_sm if r.occupancy else None, count_text,
            "Theoretical occupancy",
        ),
        row(
            "Warps a multiprocessor", lambda r: r.occupancy.warps_per_sm if r.occupancy else None,
            lambda value: f"{value} of {_most_warps(report)}", "Theoretical occupancy",
        ),
    ]  # fmt: skip
    if report.occupancy is not None:
        before = baseline.occupancy if baseline is not None else None
        rows.append(_occupancy(report.occupancy, before))
        rows.append(Resource("Limited by", report.occupancy.limiter, None))
    if report.waves is not None:
        rows.append(_waves(report.waves, baseline.waves if baseline is not None else None))
    cache = "from the cache" if report.cache_hit else "compiled"
    rows.append(Resource("Compile time", f"{time_text(report.total_ms)}, {cache}", report.total_ms))
    return tuple(rows)


def _occupancy(held: Occupancy, before: Occupancy | None) -> Resource:
    old = before.share_text if before is not None else ""
    change = "same" if old == held.share_text else ""
    if before is not None and before.warps_per_sm and not change:
        change = change_text(
            held.warps_per_sm / held.max_warps_per_sm, before.warps_per_sm / before.max_warps_per_sm
        )
    tip = "Active warps as a share of those a multiprocessor can hold"
    return Resource("Occupancy", held.share_text, held.warps_per_sm, old, change, tip)


def _waves(waves: Waves, before: Waves | None) -> Resource:
    text = (
        f"{significant(waves.count)}, the last {waves.last_wave * 100:.0f} % full"
        if waves.count > 1 else f"{waves.count * 100:.2g} % of one"
    )  # fmt: skip
    tip = (
        f"{count_text(waves.programs)} programs of the captured grid, "
        f"{count_text(waves.per_wave)} held by the GPU at once"
    )
    old = significant(before.count) if before is not None else ""
    change = change_text(waves.count, before.count) if before is not None else ""
    return Resource("Waves", text, waves.count, old, change, tip)


def summary(report: CompileReport) -> str:
    """Return what a launch takes in one line (`26 registers, no spills, 16 B shared …`)."""
    parts = []
    if report.registers is not None:
        parts.append(f"{report.registers} registers")
    if report.spill_bytes is not None:
        spilled = f"{bytes_text(report.spill_bytes)} spilled"
        parts.append(spilled if report.spill_bytes else "no spills")
    shared = report.shared_bytes + (report.static_shared_bytes or 0)
    parts.append(f"{bytes_text(shared)} shared")
    if report.occupancy is not None:
        held = report.occupancy
        parts.append(f"occupancy {held.share_text}, limited by {held.limiter}")
    return " · ".join(parts)


def _most_warps(report: CompileReport) -> int:
    return report.occupancy.max_warps_per_sm if report.occupancy else 0


RESOURCE_COLUMNS: tuple[Column[Resource], ...] = (
    Column("Resource", lambda row: row.name, tip=lambda row: row.tip or row.name),
    Column("This config", lambda row: row.number, lambda row: row.text, numeric=True),
    Column("Baseline", lambda row: row.before, numeric=True),
    Column("Change", lambda row: row.change, numeric=True),
)
