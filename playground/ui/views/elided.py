"""A label that is cut with dots where it has no room, and says all of it in its tooltip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class ElidedLabel(QLabel):
    """One line of text that never asks for more width than it is given."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def shown(self) -> str:
        """Return what of the text is drawn."""
        return self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width()
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits."""
        painter = QPainter(self)
        self.style().drawItemText(
            painter, self.contentsRect(), self.alignment(), self.palette(), self.isEnabled(),
            self.shown(), self.foregroundRole(),
        )  # fmt: skip

    def event(self, event: QEvent) -> bool:
        """Show all of a text that was cut while the pointer rests on it."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cut = self.shown() != self.text()
            QToolTip.showText(event.globalPos(), self.text() if cut else self.toolTip(), self)
            return True
        return super().event(event)
