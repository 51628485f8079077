"""A cover over a panel while it still shows what is of another file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class Veil(QWidget):
    """Hides what a panel shows; the panel itself goes on as it is."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self.setObjectName(f"{view.objectName()}.veil")
        self.setGeometry(view.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill it with the ground that panels have."""
        from PySide6.QtGui import QPainter

        QPainter(self).fillRect(event.rect(), self.palette().base())
