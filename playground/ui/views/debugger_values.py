"""The values of a stopped program as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.ui.views.table_twin import Column, RecordModel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.model.debugging import Stop, Value

_ORDER = {"block": 0, "pointer": 1, "scalar": 2, "other": 3, "constexpr": 4, "global": 5}


@dataclass(frozen=True)
class ValueRow:
    """One row: a local, or a watched expression."""

    value: Value
    watched: bool = False


def rows_of(stop: Stop | None) -> tuple[ValueRow, ...]:
    """Return the rows of a stop: watches, what has changed last, blocks before numbers."""
    if stop is None:
        return ()
    watched = [ValueRow(value, watched=True) for value in stop.watches]
    local = sorted(stop.values, key=lambda value: _ORDER[value.kind])
    return (*watched, *(ValueRow(value) for value in local))


def _text(row: ValueRow) -> str:
    value = row.value
    return value.problem or value.text


def _range(row: ValueRow) -> str:
    value = row.value
    parts = []
    if value.minimum is not None and value.maximum is not None and value.kind != "pointer":
        parts.append(f"{value.minimum:.4g} … {value.maximum:.4g}")
    if value.nans:
        parts.append(f"{value.nans} NaN")
    if value.infinities:
        parts.append(f"{value.infinities} inf")
    return ", ".join(parts)


def _name(row: ValueRow) -> str:
    return f"◦ {row.value.name}" if row.watched else row.value.name


VALUE_COLUMNS: tuple[Column[ValueRow], ...] = (
    Column("Name", _name, tip=lambda row: f"{row.value.name}: watched" if row.watched
           else f"{row.value.name}: {row.value.type}"),
    Column("Value", _text, tip=_text),
    Column("Range", lambda row: row.value.minimum, _range,
           tip=lambda _row: "Least and largest finite element; NaN and infinities"),
    Column("Type", lambda row: row.value.type),
)  # fmt: skip


def value_model(parent: QWidget) -> RecordModel[ValueRow]:
    """Return the model of the table."""
    return RecordModel(VALUE_COLUMNS, parent)
