"""The words and tables of a report's HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from playground.model.measurement import Measurement


def fact(title: str, value: str, note: str, tone: str = "") -> str:
    """Return a figure that stands out, with its name above and a note below."""
    return (
        f"<div class='fact'><span class='muted'>{escaped(title)}</span>"
        f"<b class='{tone}'>{escaped(value)}</b>"
        f"<span class='muted'>{escaped(note)}</span></div>"
    )


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and values; those without a value are left out."""
    body = "".join(
        f"<tr><th scope='row'>{escaped(k)}</th><td>{escaped(v)}</td></tr>" for k, v in rows if v
    )
    return f"<table>{body}</table>"


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; columns whose title begins with `#` hold numbers."""
    kinds = [" class='number'" if title.startswith("#") else "" for title in titles]
    head = "".join(
        f"<th scope='col'{kind}>{escaped(title.removeprefix('#'))}</th>"
        for title, kind in zip(titles, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escaped(v)}</td>" for v, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def escaped(text: str) -> str:
    """Return text as HTML shows it."""
    return html.escape(text, quote=True)


def unit_of(time_ms: float) -> tuple[str, float]:
    """Return the unit that suits a time, and what milliseconds are multiplied by for it."""
    return ("µs", 1000.0) if time_ms < 1 else ("ms", 1.0) if time_ms < 1000 else ("s", 0.001)


def time_text(time_ms: float) -> str:
    """Return a time with four digits and its unit."""
    unit, scale = unit_of(time_ms)
    return f"{time_ms * scale:.4g} {unit}"


def clock_text(measured: Measurement) -> str:
    """Return which clock timed, and what the L2 held."""
    if measured.source == "interpreter":
        return "wall time of the interpreter on the CPU: no GPU timing"
    return f"{measured.source}, {measured.cache} L2"


def number_text(value: int | None) -> str:
    """Return a whole number with its thousands set apart; nothing for None."""
    return "" if value is None else f"{value:,}"


def amount_text(value: int | None) -> str:
    """Return bytes with a unit, in steps of 1024."""
    if value is None:
        return ""
    size, unit = float(value), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024 or unit == "TiB":
            break
        size /= 1024
    return f"{size:.4g} {unit}"


def share_text(value: float | None) -> str:
    """Return a share in per cent; nothing for None."""
    return "" if value is None else f"{100 * value:.3g} %"


def times_text(value: float | None) -> str:
    """Return a factor; nothing for None."""
    return "" if value is None else f"{value:.3g} ×"


def rate_text(gbps: float | None) -> str:
    """Return a bandwidth; nothing for None."""
    return "" if gbps is None else f"{gbps:.0f} GB/s"
