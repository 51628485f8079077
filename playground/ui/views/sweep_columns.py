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
    from playground.ui.views.sweep_scene import Scene

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
    knobs: tuple[str, ...], theme: Theme, scene: Scene, *, timed: bool
) -> tuple[Column[SweepRow], ...]:
    """Return the columns for these knobs, times only where a sweep takes any."""
    tied = {place for place in (row.place for row in scene.rows) if place is not None and sum(
        row.place == place for row in scene.rows) > 1}  # fmt: skip

    def place(row: SweepRow) -> str:
        if row.place is None:
            return ""
        return f"{row.place} =" if row.place in tied else str(row.place)

    def loss(row: SweepRow) -> float | None:
        best_ms = scene.best.median_ms if scene.best is not None else None
        if row.status != "correct" or not row.median_ms or not best_ms:
            return None
        return row.median_ms / best_ms

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
            "Median", lambda row: row.median_ms,
            lambda row: "" if row.median_ms is None else time_text(row.median_ms, 4),
            numeric=True, unit="ms",
        ),
        Column(
            "Slower", loss, lambda row: "" if loss(row) is None else (
                scene.loss_text(row.median_ms or 0.0)), numeric=True,
        ),
        Column("95 % interval", lambda row: row.low_ms, interval, numeric=True),
        Column(
            "Timed", lambda row: _timed(row), tip=lambda row: _TIMED[_timed(row)],
        ),
    )  # fmt: skip
    moments: tuple[Column[SweepRow], ...] = (
        Column(
            "At (s)", lambda row: row.at_s,
            lambda row: "" if row.at_s is None else f"{row.at_s:.2f}", numeric=True,
        ),
    )  # fmt: skip
    devices: tuple[Column[SweepRow], ...] = (Column("Device", lambda row: row.device),)
    places: tuple[Column[SweepRow], ...] = (
        Column(
            "Place", lambda row: row.place, place,
            tip=lambda row: "tied: no difference that matters" if row.place in tied else "",
            numeric=True,
        ),
    )  # fmt: skip
    return (
        *(places if timed and any(row.place is not None for row in scene.rows) else ()),
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
        *(devices if len({row.device for row in scene.rows if row.device}) > 1 else ()),
        *(moments if any(row.at_s is not None for row in scene.rows) else ()),
        Column("Reason", lambda row: row.reason, tip=lambda row: row.reason),
    )  # fmt: skip


_TIMED = {
    "in turns": "among the finalists, in random turns, round by round",
    "cut short": "timing ended early: far from the best",
    "kept": "taken over from the sweep that this one goes on with",
    "shortly": "a short time each, in shuffled order",
    "": "",
}


def _timed(row: SweepRow) -> str:
    if row.median_ms is None:
        return ""
    if row.confirmed:
        return "in turns"
    if row.kept:
        return "kept"
    return "cut short" if row.screened else "shortly"


def _bytes_column(title: str, count: Callable[[SweepRow], int | None]) -> Column[SweepRow]:
    def text(row: SweepRow) -> str:
        value = count(row)
        return "" if value is None else bytes_text(value)

    return Column(title, count, text, numeric=True)


def _knob_column(name: str) -> Column[SweepRow]:
    def value(row: SweepRow) -> KnobValue:
        return row.config.as_dict().get(name)

    return Column(name, value, lambda row: value_text(value(row)), numeric=True)
