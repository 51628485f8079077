"""Axes of plots whose coordinates are decimal logarithms, with ticks that people read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtGui import QFontMetrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_STEPS = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0))


class ReadableAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph ships no types
    """An axis in log10 (or plain) coordinates; `text` writes a tick's real value.

    With `exact` values only those get a tick, the round ones first where not all have room.
    """

    def __init__(self, side: str, text: Callable[[float], str]) -> None:
        super().__init__(side)
        self.text = text
        self.is_log = True
        self.exact: tuple[float, ...] = ()

    def show_scale(
        self, *, log: bool, exact: Sequence[float] = (), text: Callable[[float], str] | None = None
    ) -> None:
        """Choose the scale, the values that get ticks, and how they are written."""
        self.is_log, self.exact = log, tuple(exact)
        self.text = text or self.text
        self.picture = None
        self.update()

    def at(self, value: float) -> float:
        """Return the coordinate of a value."""
        return math.log10(value) if self.is_log else value

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return where ticks stand."""
        low, high = min(low, high), max(low, high)
        if self.exact:
            return [(1.0, self._thinned(low, high, size))]
        if not self.is_log:
            found: Any = super().tickValues(low, high, size)
            return list(found[:1]) or []
        room = max(int(size / self._width("0000 µs")), 2)
        span = range(math.floor(low) - 1, math.ceil(high) + 1)
        chosen: list[float] = []
        for steps in _STEPS:
            ticks = [
                power + math.log10(step)
                for power in span
                for step in steps
                if low <= power + math.log10(step) <= high
            ]
            if len(ticks) > room and len(chosen) >= 2:
                break
            chosen = ticks
        while len(chosen) > room:
            chosen = chosen[::2]
        return [(1.0, chosen)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the ticks' texts."""
        if not self.is_log:
            return [self.text(value) for value in values]
        return [self.text(10**value) for value in values]

    def _thinned(self, low: float, high: float, size: float) -> list[float]:
        per_unit = size / max(high - low, 1e-12)
        placed: list[tuple[float, float]] = []
        order = sorted(self.exact, key=lambda value: (not _is_round(value), value))
        for value in order:
            at = self.at(value)
            width = self._width(self.text(value))
            near = any(abs(at - other) * per_unit < (width + wide) / 2 for other, wide in placed)
            if low <= at <= high and not near:
                placed.append((at, width))
        return sorted(at for at, _ in placed)

    def _width(self, text: str) -> float:
        metrics = QFontMetrics(self.style["tickFont"] or self.font())
        if self.orientation in ("left", "right"):
            return metrics.height() * 1.4
        return metrics.horizontalAdvance(text) + metrics.height() * 0.9


def plain_tick(value: float) -> str:
    """Return a tick's value in three digits, thin spaces between thousands."""
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}".replace(",", "\u2009")


def _is_round(value: float) -> bool:
    return value == int(value) and int(value) & (int(value) - 1) == 0
