"""Plots of a report as SVG text that takes its colours from the page it stands in."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from playground.model.statistics import median, quantile

WIDTH, HEIGHT = 720, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 12, 40
_MOST_POINTS = 1200


def samples_plot(samples_ms: Sequence[float], unit: str, scale: float) -> str:
    """Return the samples in their order, with their median, as an SVG element.

    `scale` turns milliseconds into `unit`. Of the slowest hundredth only the edge is shown: a few
    outliers would press all others flat; how many are cut off is said.
    """
    values = [value * scale for value in samples_ms]
    if not values:
        return ""
    low, high = min(values), quantile(values, 0.99)
    room = 0.08 * (high - low) or 0.05 * max(high, 1e-9)
    ticks = nice_ticks(low - room, high + room)
    bottom, top = min(ticks[0], low - room), max(ticks[-1], high + room)
    inner_width, inner_height = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def y_of(value: float) -> float:
        return _TOP + inner_height * (1 - (min(value, top) - bottom) / (top - bottom))

    step = max(len(values) // _MOST_POINTS, 1)
    dots = "".join(
        f'<circle cx="{_LEFT + inner_width * (at + 0.5) / len(values):.1f}" '
        f'cy="{y_of(values[at]):.1f}" r="2"/>'
        for at in range(0, len(values), step)
    )
    lines = "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y_of(t):.1f}" '
        f'y2="{y_of(t):.1f}"/><text class="tick" x="{_LEFT - 6}" y="{y_of(t) + 4:.1f}" '
        f'text-anchor="end">{t:.6g}</text>'
        for t in ticks
    )
    middle = median(values)
    cut = sum(value > top for value in values)
    note = f"; {cut} above the edge" if cut else ""
    title = f"{len(values)} samples, median {middle:.4g} {unit}{note}"
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{html.escape(title)}"><title>{html.escape(title)}</title>{lines}'
        f'<g class="dots">{dots}</g><line class="median" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" '
        f'y1="{y_of(middle):.1f}" y2="{y_of(middle):.1f}"/>'
        f'<text class="axis" x="{_LEFT + inner_width / 2}" y="{HEIGHT - 8}" '
        f'text-anchor="middle">sample, 1 to {len(values)}{html.escape(note)}</text>'
        f'<text class="axis" transform="translate(14 {_TOP + inner_height / 2}) rotate(-90)" '
        f'text-anchor="middle">time in {html.escape(unit)}</text></svg>'
    )


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from `low` to `high`, at steps of 1, 2 or 5 times a power of ten.

    >>> nice_ticks(0.0, 10.0)
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    if not high > low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)] or [low]
