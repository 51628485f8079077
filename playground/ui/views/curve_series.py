"""A curve as series of points in one quantity: what the plot, the heat map and hovering show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.model.problem_sizes import size_text
from playground.ui.views.formatting import (
    CACHE_TEXT,
    SOURCE_TEXT,
    count_text,
    interval_text,
    significant,
    time_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.model.curve import Curve, CurveRow, Quantity

SPEED_UP = "speed-up:"
"""How the quantity begins that compares with a line; the line's label follows."""


@dataclass(frozen=True)
class Point:
    """One row in a quantity, with the bounds of its 95 % interval (the value itself if none)."""

    x: int
    value: float
    low: float
    high: float
    row: CurveRow


@dataclass(frozen=True)
class Series:
    """Points of one line in the order of x; `failed` are rows without a value."""

    title: str
    points: tuple[Point, ...]
    failed: tuple[CurveRow, ...]
    line: str


def quantities(curve: Curve, short: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return what can be drawn on y as pairs of a key and its title."""
    found: list[tuple[str, str]] = []
    titles = {"ms": "time", "own": curve.own_label or "the file's own"}
    for quantity in curve.quantities():
        if quantity == "speed-up":
            found += [
                (SPEED_UP + line, f"speed-up over {short.get(line, line)}") for line in curve.lines
            ]
        else:
            found.append((quantity, titles.get(quantity, quantity)))
    return tuple(found)


def point(curve: Curve, row: CurveRow, quantity: str) -> Point | None:
    """Return a row in a quantity, or None where it has no such figure."""
    kind: Quantity
    base: CurveRow | None = None
    if quantity.startswith(SPEED_UP):
        kind = "speed-up"
        base = curve.row(quantity.removeprefix(SPEED_UP), row.sizes)
    else:
        kind = quantity  # type: ignore[assignment]  # the only other keys are the plain ones
    value = row.value(kind, base)
    if value is None or value <= 0:
        return None
    low, high = _bounds(row, kind, value, base)
    return Point(dict(row.sizes)[curve.axes[0].name], value, low, high, row)


def _bounds(
    row: CurveRow, kind: Quantity, value: float, base: CurveRow | None
) -> tuple[float, float]:
    if not row.median_ms or not row.low_ms or not row.high_ms or kind == "own":
        return value, value
    if kind == "ms":
        return row.low_ms, row.high_ms
    low, high = value * row.median_ms / row.high_ms, value * row.median_ms / row.low_ms
    if kind == "speed-up" and base is not None and base.median_ms and base is not row:
        # Both times are uncertain: the widest that their intervals allow.
        low *= (base.low_ms or base.median_ms) / base.median_ms
        high *= (base.high_ms or base.median_ms) / base.median_ms
    return (low, high) if base is not row else (value, value)


def line_series(curve: Curve, quantity: str, short: Mapping[str, str]) -> tuple[Series, ...]:
    """Return one series a line, for a curve over one size."""
    return tuple(
        _series(curve, quantity, short.get(line, line), line, curve.of_line(line))
        for line in curve.lines
    )


def second_series(curve: Curve, quantity: str, line: str) -> tuple[Series, ...]:
    """Return one series a value of the second size, all of one line."""
    second = curve.axes[1]
    rows = curve.of_line(line)
    return tuple(
        _series(
            curve, quantity, f"{second.name} = {size_text(value)}", line,
            tuple(row for row in rows if dict(row.sizes)[second.name] == value),
        )
        for value in second.values
    )  # fmt: skip


def _series(
    curve: Curve, quantity: str, title: str, line: str, rows: tuple[CurveRow, ...]
) -> Series:
    points = [point(curve, row, quantity) for row in rows]
    found = tuple(item for item in points if item is not None)
    return Series(title, found, tuple(row for row in rows if not row.median_ms), line)


def value_text(value: float, quantity: str, curve: Curve) -> str:
    """Return a value with its unit."""
    if quantity == "ms":
        return time_text(value)
    if quantity.startswith(SPEED_UP):
        return f"{significant(value, 3)} ×"
    unit = curve.own_label if quantity == "own" else quantity
    return f"{significant(value, 4)} {unit}".rstrip()


def row_text(curve: Curve, row: CurveRow, quantity: str, title: str = "") -> str:
    """Return all that is known of a point: its sizes, line, figures, and where they come from."""
    sizes = ", ".join(f"{name} = {_exact(value)}" for name, value in row.sizes)
    lines = [sizes, title or row.line]
    if title and title != row.line:
        lines.append(row.line)
    if row.median_ms is None or row.low_ms is None or row.high_ms is None:
        return "\n".join([*lines, f"not timed: {row.reason}" if row.reason else "not timed"])
    source = SOURCE_TEXT[row.source] if row.source else "clock unknown"
    cache = CACHE_TEXT[curve.cache]
    lines.append(
        f"median {time_text(row.median_ms, 4)}, 95 % {interval_text(row.low_ms, row.high_ms)}, "
        f"{row.samples} samples"
    )
    lines.append(f"{source}, {cache}" if cache else source)
    figures = [
        f"{significant(rate, 4)} {unit}"
        for unit in ("GB/s", "TFLOP/s")
        if (rate := row.value(unit)) is not None
    ]
    if row.own is not None:
        figures.append(f"{significant(row.own, 4)} {curve.own_label or 'by the file'}")
    if quantity.startswith(SPEED_UP):
        here = point(curve, row, quantity)
        if here is not None:
            figures.append(
                f"{significant(here.value, 4)} × ({significant(here.low, 4)} to "
                f"{significant(here.high, 4)})"
            )
    return "\n".join([*lines, " · ".join(figures)]) if figures else "\n".join(lines)


def _exact(value: int) -> str:
    short = size_text(value)
    return f"{short} ({count_text(value)})" if "^" in short else count_text(value)
