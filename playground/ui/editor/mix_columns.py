"""A column of the editor's margin: what each line became in the machine's code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt

from playground.ui.instruction_mix import address_excess, ordered, plain, tooltip
from playground.ui.mix_paint import paint_piece

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QFontMetrics, QPainter

    from playground.model.machine_code import LineCode
    from playground.ui.theme import Theme

STALE_OPACITY = 0.38


class MixColumns:
    """A stacked bar of instruction classes and their number, a line.

    The longest bar is that of the line with most instructions. The number is in the tone of a
    warning where a line's addressing outnumbers all arithmetic of the kernel, and in that of an
    error where registers are spilled. `stale` says why the code is not that of the config shown.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._lines: Mapping[int, LineCode] = {}
        self._most = 0
        self._arithmetic = 0
        self._stale = ""

    @property
    def shown(self) -> bool:
        """Whether there is anything to draw."""
        return bool(self._lines)

    def set_lines(
        self, lines: Mapping[int, LineCode], arithmetic: int = 0, stale: str = ""
    ) -> None:
        """Show what lines (from 1) became; an empty mapping hides the column.

        `arithmetic` is how many instructions of the whole kernel compute.
        """
        self._lines, self._arithmetic, self._stale = lines, arithmetic, stale
        self._most = max((code.instructions for code in lines.values()), default=0)

    def width_px(self, metrics: QFontMetrics) -> int:
        """Return the width of bar and number together, 0 while hidden."""
        if not self._lines:
            return 0
        gaps = 2 * (metrics.height() // 3)
        return self._bar_px(metrics) + self._number_px(metrics) + gaps

    def _bar_px(self, metrics: QFontMetrics) -> int:
        return round(metrics.height() * 2.2)

    def _number_px(self, metrics: QFontMetrics) -> int:
        return metrics.horizontalAdvance("9" * len(str(self._most)))

    def tip(self, line: int) -> str:
        """Return what there is to say of a line, as rich text."""
        code = self._lines.get(line)
        return tooltip(code, self._theme, self._arithmetic, self._stale) if code is not None else ""

    def sentence(self, line: int) -> str:
        """Return what a line became, for screen readers."""
        code = self._lines.get(line)
        return plain(code) if code is not None else ""

    def paint(self, painter: QPainter, line: int, area: QRect) -> None:
        """Draw a line's bar and number within `area`."""
        code = self._lines.get(line)
        if code is None or not code.instructions:
            return
        metrics = painter.fontMetrics()
        color = self._theme.color
        painter.save()
        painter.setOpacity(STALE_OPACITY if self._stale else 1.0)
        number, whole = self._number_px(metrics), self._bar_px(metrics)
        gap = metrics.height() // 3
        excess = address_excess(code, self._arithmetic)
        tone = "bad" if code.spill_bytes else "warn" if excess else "muted"
        painter.setPen(color(tone))
        painter.drawText(
            QRect(area.left() + whole, area.top(), number + gap, area.height()),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(code.instructions),
        )  # fmt: skip
        length = max(whole * code.instructions / self._most, 3.0)
        inset = max(round(area.height() * 0.18), 2)
        x = float(area.left())
        for each, count in ordered(code.counts):
            part = length * count / code.instructions
            bar = QRectF(x, area.top() + inset, part, area.height() - 2 * inset)
            paint_piece(painter, bar, self._theme, each.token)
            x += part
        painter.restore()
