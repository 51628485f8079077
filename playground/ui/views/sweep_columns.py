"""The columns of a sweep's table: one a knob, then the outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.sweep_values import value_text
from playground.ui.views.formatting import bytes_text, interval_text, time_text
from playground.ui.views.marks import Mark, Tone, mark_icon
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QIcon

    from playground.model.knobs import KnobValue
    from playground.model.sweep import SweepRow, SweepStatus
    from playground.ui.theme import Theme

STATUS: dict[SweepStatus, tuple[str, Mark, Tone]] = {
    "correct": ("correct", "check", "good"),
    "wrong": ("wrong", "cross", "bad"),
    "unjudged": ("not judged", "question", "warn"),
    "constraint": ("ruled out", "none", "muted"),
    "compile": ("no compile", "cross", "bad"),
    "resources": ("does not fit", "warning", "warn"),
    "runtime": ("failed", "cross", "bad"),
    "timeout": ("timed out", "warning", "warn"),
    "cancelled": ("cancelled", "none", "muted"),
}


def sweep_columns(
    knobs: tuple[str, ...], theme: Theme, *, timed: bool
) -> tuple[Column[SweepRow], ...]:
    """Return the columns for these knobs, times only where a sweep takes any."""
    icons = {
        status: mark_icon(mark, theme.color(tone)) for status, (_, mark, tone) in STATUS.items()
    }

    def status_icon(row: SweepRow) -> QIcon | None:
        return icons[row.status]

    def interval(row: SweepRow) -> str:
        if row.low_ms is None or row.high_ms is None:
            return ""
        return interval_text(row.low_ms, row.high_ms)

    times: tuple[Column[SweepRow], ...] = (
        Column(
            "Median (ms)", lambda row: row.median_ms,
            lambda row: "" if row.median_ms is None else time_text(row.median_ms, 4), numeric=True,
        ),
        Column("95 % interval", lambda row: row.low_ms, interval, numeric=True),
    )  # fmt: skip
    return (
        Column(
            "Status", lambda row: STATUS[row.status][0], icon=status_icon,
            tip=lambda row: row.reason or STATUS[row.status][0],
        ),
        *(times if timed else ()),
        *(_knob_column(name) for name in knobs),
        Column("Registers", lambda row: row.registers, numeric=True),
        _bytes_column("Spills (B)", lambda row: row.spill_bytes),
        _bytes_column("Shared (B)", lambda row: row.shared_bytes),
        Column("Programs/SM", lambda row: row.programs_per_sm, numeric=True),
        Column("Unwritten", lambda row: row.unwritten, numeric=True),
        Column("Reason", lambda row: row.reason, tip=lambda row: row.reason),
    )  # fmt: skip


def _bytes_column(title: str, count: Callable[[SweepRow], int | None]) -> Column[SweepRow]:
    def text(row: SweepRow) -> str:
        value = count(row)
        return "" if value is None else bytes_text(value)

    return Column(title, count, text, numeric=True)


def _knob_column(name: str) -> Column[SweepRow]:
    def value(row: SweepRow) -> KnobValue:
        return row.config.as_dict().get(name)

    return Column(name, value, lambda row: value_text(value(row)), numeric=True)
