"""Cells of a table that draw shares as a bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF

from playground.ui.mix_paint import paint_piece
from playground.ui.views.table_twin import GroundDelegate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QStyleOptionViewItem

    from playground.ui.theme import Theme
    from playground.ui.views.table_twin import RecordTable

    Pieces = Iterable[tuple[float, str]]

_MARGIN = 4
_INSET = 0.25


class BarCells(GroundDelegate):
    """Draws a row's pieces side by side as one bar.

    Parameters
    ----------
    pieces
        Returns for a record the bar's pieces: share of the cell's width, and token of the colour.
    figure
        The widest text that the cell shows to the right of its bar.
    """

    def __init__(
        self, table: RecordTable, theme: Theme, pieces: Callable[[object], Pieces], figure: str = ""
    ) -> None:
        super().__init__(table)
        self._table, self._theme, self._pieces, self._figure = table, theme, pieces, figure

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the item, then the bar over it."""
        super().paint(painter, option, index)
        right = float(_MARGIN)
        if self._figure:
            metrics = option.fontMetrics
            right = metrics.horizontalAdvance(self._figure) + metrics.height()
        area = QRectF(option.rect).adjusted(_MARGIN, 0, -right, 0)
        inset = area.height() * _INSET
        x = area.left()
        for share, token in self._pieces(self._table.record_at(index.row())):
            part = area.width() * share
            bar = QRectF(x, area.top() + inset, part, area.height() - 2 * inset)
            paint_piece(painter, bar, self._theme, token)
            x += part
