"""Two views one above the other where there is room, side by side where the panel is low."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

LINES_FOR_BOTH = 22
"""Lines of text under which two plots one above the other would both be squeezed."""


class RoomySplitter(QSplitter):
    """A splitter that takes the direction in which its views stay readable.

    `lines` of text is the height under which they stand side by side, if the width is at least
    `wide` lines; where it is not, whatever they stand in has to scroll.
    """

    def __init__(
        self, parent: QWidget | None = None, lines: int = LINES_FOR_BOTH, wide: int = 0
    ) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._lines, self._wide = lines, wide
        self.setChildrenCollapsible(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the direction for the new size."""
        line = self.fontMetrics().height()
        low = self.height() < self._lines * line
        wide = self.width() > max(self.height(), self._wide * line)
        wanted = Qt.Orientation.Horizontal if low and wide else (
            Qt.Orientation.Vertical
        )  # fmt: skip
        if wanted != self.orientation():
            self.setOrientation(wanted)
            # Shares of a height say nothing about widths.
            self.setSizes([1000] * self.count())
        super().resizeEvent(event)
