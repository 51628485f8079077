"""Columns of the debugger's tables: what was written, printed, not finite, different."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.plane import index_text
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from playground.model.debugging import (
        ElementDifference,
        Origin,
        Printed,
        Stored,
        WrittenTensor,
    )

_SHOWN = 64


def origin_text(origin: Origin) -> str:
    """Return an operation as it would be written: `1.5 / 0`, `exp(800)`."""
    if origin.made == "loaded":
        return f"loaded from {origin.tensor}[{origin.element}]" if origin.tensor else "loaded"
    went_in = [f"{one.text} {one.value:g}".strip() for one in origin.operands]
    if len(went_in) == 2 and not origin.what.isalnum():
        return f"{went_in[0]} {origin.what} {went_in[1]}"
    return f"{origin.what}({', '.join(went_in)})"


def values_text(printed: Printed) -> str:
    """Return what was printed in one line."""
    more = " …" if printed.count > min(len(printed.values), _SHOWN) and printed.values else ""
    return ", ".join(printed.values[:_SHOWN]) + more


WRITTEN_COLUMNS: tuple[Column[WrittenTensor], ...] = (
    Column("Tensor", lambda row: row.tensor),
    Column("Elements", lambda row: row.elements, lambda row: f"{row.elements:,}", numeric=True),
    Column("From", lambda row: row.first, lambda row: f"{row.first:,}", numeric=True),
    Column("To", lambda row: row.last, lambda row: f"{row.last:,}", numeric=True),
    Column("NaN", lambda row: row.nans, numeric=True),
    Column("Infinite", lambda row: row.infinities, numeric=True),
    Column("Type", lambda row: row.dtype),
)  # fmt: skip

PRINTED_COLUMNS: tuple[Column[Printed], ...] = (
    Column("Program", lambda row: row.program,
           lambda row: str(row.program) if row.program >= 0 else "", numeric=True),
    Column("Line", lambda row: row.line, lambda row: str(row.line or ""), numeric=True),
    Column("Text", lambda row: row.prefix),
    Column("Shape", lambda row: len(row.shape),
           lambda row: " × ".join(map(str, row.shape))),
    Column("Values", values_text, tip=values_text),
)  # fmt: skip

STORED_COLUMNS: tuple[Column[Stored], ...] = (
    Column("Tensor", lambda row: row.tensor),
    Column("First", lambda row: index_text(row.element)),
    Column("Value", lambda row: f"{row.value:g}"),
    Column("Program", lambda row: row.program,
           lambda row: str(row.program) if row.program >= 0 else "", numeric=True),
    Column("Stored at", lambda row: row.line, lambda row: str(row.line or ""), numeric=True),
    Column("NaN", lambda row: row.nans, lambda row: f"{row.nans:,}", numeric=True),
    Column("Infinite", lambda row: row.infinities, lambda row: f"{row.infinities:,}",
           numeric=True),
)  # fmt: skip

ORIGIN_COLUMNS: tuple[Column[Origin], ...] = (
    Column("Line", lambda row: row.line, numeric=True),
    Column("Program", lambda row: row.program, numeric=True),
    Column("Made", lambda row: f"{row.value:g}"),
    Column("By", origin_text, tip=origin_text),
    Column("At", lambda row: index_text(row.index) if row.index else ""),
    Column("Lanes", lambda row: row.lanes, numeric=True),
    Column("Source", lambda row: row.source, tip=lambda row: row.source),
)  # fmt: skip


def _at(index: tuple[int, ...] | None) -> str:
    return "" if index is None else index_text(index)


DIFFERENCE_COLUMNS: tuple[Column[ElementDifference], ...] = (
    Column("Tensor", lambda row: row.tensor),
    Column("Differ", lambda row: row.mismatches,
           lambda row: f"{row.mismatches:,} of {row.compared:,}", numeric=True),
    Column("First", lambda row: _at(row.first)),
    Column("Is", lambda row: row.got, lambda row: f"{row.got:.6g}" if row.first else "",
           numeric=True),
    Column("Should be", lambda row: row.want, lambda row: f"{row.want:.6g}" if row.first else "",
           numeric=True),
    Column("Program", lambda row: row.program,
           lambda row: str(row.program) if row.program >= 0 else "", numeric=True),
    Column("Line", lambda row: row.line, lambda row: str(row.line or ""), numeric=True),
    Column("Largest error", lambda row: row.max_abs_error, lambda row: f"{row.max_abs_error:.3g}",
           numeric=True),
    Column("at", lambda row: _at(row.worst)),
    Column("Allowed", lambda row: row.tolerance, lambda row: f"{row.tolerance:.3g}", numeric=True,
           tip=lambda _row: "The largest error that is allowed anywhere: by type and length"),
)  # fmt: skip
