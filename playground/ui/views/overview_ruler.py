"""A strip beside a text that shows where in all of it the marked lines are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from playground.ui.theme import Theme

JUMP_PX = 6
"""How far from a mark a click may be and still mean it."""

_WIDTHS = {"warn": 0.7, "accent_link": 0.45}
"""Share of the strip's width, so that an error is told from a warning or hint without colour."""


class OverviewRuler(QWidget):
    """Marks at their share of the text's height; a click on one asks for its line.

    `lineRequested` carries a line from 0: that of the nearest mark, or where there is none near,
    the line at that height.
    """

    lineRequested = Signal(int)

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("Where the marked lines are")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._theme = theme
        self._rows: list[tuple[int, int, str]] = []
        self._count = 1
        self._row_px = 0.0
        theme.changed.connect(self.update)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that are marked, from 0."""
        return tuple(line for _, line, _ in self._rows)

    def width_px(self) -> int:
        """Return the width that can be seen and hit."""
        return max(round(self.fontMetrics().height() * 0.6), 8)

    def sizeHint(self) -> QSize:
        """Return the strip's width."""
        return QSize(self.width_px(), 0)

    def show_marks(
        self, marks: Iterable[tuple[int, int, str]], count: int, row_px: float = 0.0
    ) -> None:
        """Mark `(row, line, colour token)`; rows count what is not folded of `count` in all.

        `row_px` is how high a row is drawn: a text shorter than the strip has its marks beside it.
        """
        self._rows, self._count, self._row_px = list(marks), max(count, 1), row_px
        number = len(self._rows)
        self.setToolTip(f"{number} marked line{'' if number == 1 else 's'}: click to go to one")
        self.update()

    def _y(self, row: int) -> float:
        step = self.height() / self._count
        return (row + 0.5) * (min(step, self._row_px) if self._row_px else step)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the marks."""
        painter = QPainter(self)
        # Without marks it is nothing but the end of the text's ground.
        painter.fillRect(self.rect(), self._theme.color("raised" if self._rows else "surface"))
        thick = max(self.fontMetrics().height() * 0.16, 2.0)
        drawn: set[tuple[int, str]] = set()
        for row, _, token in self._rows:
            y = self._y(row)
            # A thousand marks in two hundred pixels: each pixel once.
            if (round(y), token) not in drawn:
                drawn.add((round(y), token))
                width = _WIDTHS.get(token, 1.0) * (self.width() - 2)
                area = QRectF(1, y - thick / 2, width, thick)
                painter.fillRect(area, self._theme.color(token))
        if self._rows:
            painter.setPen(self._theme.color("border"))
            painter.drawLine(0, 0, 0, self.height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the mark that was clicked."""
        y = event.position().y()
        nearest = min(self._rows, key=lambda mark: abs(self._y(mark[0]) - y), default=None)
        if nearest is not None and abs(self._y(nearest[0]) - y) <= JUMP_PX:
            self.lineRequested.emit(nearest[1])
        elif nearest is None:
            self.lineRequested.emit(int(self._count * y / max(self.height(), 1)))
