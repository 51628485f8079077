"""A compile report as rows of a table, each beside the baseline's figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.ui.views.formatting import bytes_text, change_text, count_text, time_text
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.compiling import CompileReport


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

    rows = [
        row("Registers a thread", lambda r: r.registers, count_text),
        row(
            "Spilled a thread", lambda r: r.spill_bytes, bytes_text,
            "Registers that did not fit and live in local memory",
        ),
        row("Stack a thread", lambda r: r.stack_bytes, bytes_text),
        row("Shared memory a program", lambda r: r.shared_bytes, bytes_text),
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
        rows.append(Resource("Limited by", report.occupancy.limiter, None))
    cache = "from the cache" if report.cache_hit else "compiled"
    rows.append(Resource("Compile time", f"{time_text(report.total_ms)}, {cache}", report.total_ms))
    return tuple(rows)


def _most_warps(report: CompileReport) -> int:
    return report.occupancy.max_warps_per_sm if report.occupancy else 0


RESOURCE_COLUMNS: tuple[Column[Resource], ...] = (
    Column("Resource", lambda row: row.name, tip=lambda row: row.tip or row.name),
    Column("This config", lambda row: row.number, lambda row: row.text, numeric=True),
    Column("Baseline", lambda row: row.before, numeric=True),
    Column("Change", lambda row: row.change, numeric=True),
)
