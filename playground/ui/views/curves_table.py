"""The table twin of a curve: one row a point, with every figure and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.ui.views.formatting import (
    SOURCE_TEXT,
    count_text,
    interval_text,
    significant,
    time_text,
)
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playground.model.curve import Curve, CurveRow, Quantity


def curve_columns(curve: Curve, short: Mapping[str, str]) -> tuple[Column[CurveRow], ...]:
    """Return the columns that the rows of `curve` have figures for."""
    shown = curve.quantities()

    def rate(title: str, quantity: Quantity) -> Column[CurveRow]:
        return Column(
            title, lambda row: row.value(quantity),
            lambda row: "" if (value := row.value(quantity)) is None else significant(value, 4),
            numeric=True,
        )  # fmt: skip

    rates = [rate(unit, unit) for unit in ("GB/s", "TFLOP/s") if unit in shown]
    if "own" in shown:
        rates.append(rate(curve.own_label or "The file's own", "own"))
    return (
        *(_size(item.name) for item in curve.axes),
        Column("Line", lambda row: short.get(row.line, row.line), tip=lambda row: row.line),
        Column(
            "Median", lambda row: row.median_ms,
            lambda row: "" if row.median_ms is None else time_text(row.median_ms, 4),
            numeric=True, unit="ms",
        ),
        Column("95 % interval", lambda row: row.low_ms, _interval, numeric=True),
        *rates,
        Column("Samples", lambda row: row.samples or None, numeric=True),
        Column("Clock", lambda row: SOURCE_TEXT[row.source] if row.source else ""),
        Column("Cache", lambda row: f"{curve.cache} L2" if row.median_ms else ""),
        Column("Reason", lambda row: row.reason, tip=lambda row: row.reason),
    )  # fmt: skip


def _size(name: str) -> Column[CurveRow]:
    pick: Callable[[CurveRow], int | None] = lambda row: dict(row.sizes).get(name)  # noqa: E731
    return Column(
        name, pick, lambda row: "" if (size := pick(row)) is None else count_text(size),
        numeric=True,
    )  # fmt: skip


def _interval(row: CurveRow) -> str:
    if row.low_ms is None or row.high_ms is None:
        return ""
    return interval_text(row.low_ms, row.high_ms)
