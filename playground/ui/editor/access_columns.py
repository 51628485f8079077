"""A column of the editor's margin: how well each line accesses memory, and its hazards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt

from playground.ui.access_text import LineAccess, efficiency_text, plain, reread_text, tooltip
from playground.ui.editor.mix_columns import STALE_OPACITY
from playground.ui.views.marks import paint_mark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QFontMetrics, QPainter

    from playground.ui.theme import Theme

_REREAD_DIGITS = 2
"""Of the factor in the margin, where room is dear; the tip has more."""

POOR = 0.5
"""Below this efficiency more than half of what is moved is not asked for."""


class AccessColumns:
    """A line's efficiency and re-read factor, and a mark where programs get in each other's way.

    The efficiency is in the tone of a warning where most of what moves is not asked for.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._lines: Mapping[int, LineAccess] = {}
        self._stale = ""

    @property
    def shown(self) -> bool:
        """Whether there is anything to draw."""
        return bool(self._lines)

    def set_lines(self, lines: Mapping[int, LineAccess], stale: str = "") -> None:
        """Show how lines (from 1) access memory; an empty mapping hides the column."""
        self._lines, self._stale = lines, stale

    def at(self, line: int) -> LineAccess | None:
        """Return what is known of a line."""
        return self._lines.get(line)

    def width_px(self, metrics: QFontMetrics) -> int:
        """Return the width of the column, 0 while hidden."""
        if not self._lines:
            return 0
        return sum(self._parts_px(metrics)) + metrics.height() // 4

    def _parts_px(self, metrics: QFontMetrics) -> tuple[int, int, int]:
        """Return the widths of mark, efficiency and re-read factor, 0 for what no line has."""
        marked = any(access.hazards for access in self._lines.values())
        sited = [access for access in self._lines.values() if access.sites]
        if not sited:
            return metrics.height() if marked else 0, 0, 0
        return (
            metrics.height() if marked else 0,
            max(metrics.horizontalAdvance(_share(access)) for access in sited),
            max(metrics.horizontalAdvance(_reread(access)) for access in sited)
            + metrics.height() // 3,
        )

    def tip(self, line: int) -> str:
        """Return what there is to say of a line, as rich text."""
        access = self._lines.get(line)
        bad = self._theme.color("bad").name()
        return tooltip(access, bad, self._stale) if access is not None else ""

    def sentence(self, line: int) -> str:
        """Return how a line accesses memory, for screen readers."""
        access = self._lines.get(line)
        return plain(access) if access is not None else ""

    def paint(self, painter: QPainter, line: int, area: QRect) -> None:
        """Draw a line's mark and figures within `area`."""
        access = self._lines.get(line)
        if access is None:
            return
        color = self._theme.color
        mark, share, reread = self._parts_px(painter.fontMetrics())
        painter.save()
        painter.setOpacity(STALE_OPACITY if self._stale else 1.0)
        if access.hazards:
            side = min(mark, area.height()) * 0.86
            square = QRectF(area.left(), area.center().y() - side / 2 + 1, side, side)
            tone = access.gravity
            paint_mark(painter, square, "info" if tone == "muted" else "warning", color(tone))
        if access.sites:
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            efficiency = access.efficiency
            poor = efficiency is not None and efficiency < POOR
            painter.setPen(color("warn" if poor else "muted"))
            at = QRect(area.left() + mark, area.top(), share, area.height())
            painter.drawText(at, right, _share(access))
            painter.setPen(color("muted"))
            painter.drawText(at.translated(at.width(), 0).adjusted(0, 0, reread - share, 0), right,
                             _reread(access))  # fmt: skip
        painter.restore()


def _share(access: LineAccess) -> str:
    return efficiency_text(access).replace(" ", "")


def _reread(access: LineAccess) -> str:
    return reread_text(access, _REREAD_DIGITS)
