"""Columns of text, and times in the unit that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the rows in columns; numbers align at their right end, None is a dash.

    An empty text is no value: it leaves a column of numbers one.
    """
    cells = [["-" if value is None else str(value) for value in row] for row in rows]
    numeric = [
        any(row[column] for row in cells)
        and all(not row[column] or _is_number(row[column]) for row in cells)
        for column in range(len(header))
    ]
    widths = [
        max(len(name), *(len(row[column]) for row in cells)) if cells else len(name)
        for column, name in enumerate(header)
    ]
    lines = []
    for row in [list(header), *cells]:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def _is_number(text: str) -> bool:
    bare = text.replace(",", "").removesuffix("%")
    return text == "-" or bare.replace(".", "", 1).replace("-", "", 1).isdigit()


def pairs(rows: Sequence[tuple[str, object]]) -> str:
    """Return names and values in two columns; None is a dash."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {'-' if v is None else v}" for name, v in rows)


def indented(text: str) -> str:
    """Return the text with every line two places to the right."""
    return "\n".join("  " + line for line in text.splitlines())


def duration(time_ms: float | None) -> str:
    """Return a time with three to four figures and the unit that fits it."""
    if time_ms is None:
        return "-"
    if time_ms < 0.9995e-3:
        return f"{time_ms * 1e6:.3g} ns"
    if time_ms < 1:
        return f"{time_ms * 1e3:.2f} µs"
    return f"{time_ms:.3f} ms" if time_ms < 1000 else f"{time_ms / 1e3:.2f} s"
