"""Whether a part of a window is on screen, and when it comes there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

_COMING = (QEvent.Type.Show, QEvent.Type.Move, QEvent.Type.Resize)


def on_screen(part: QWidget) -> bool:
    """Tell whether anything of `part` is in its window.

    A panel behind another tab counts as visible to Qt, which keeps it beside the window.
    """
    if not part.isVisible():
        return False
    around = part.parentWidget()
    return part.isWindow() or around is None or around.rect().intersects(part.geometry())


class FirstSight(QObject):
    """Tells once when a part that is not on screen comes there, before it is painted.

    `came` carries the part: a slot that kept hold of it would keep it from being deleted.
    """

    came = Signal(QWidget)

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        part.installEventFilter(self)

    def forget(self) -> None:
        """Look for nothing any more."""
        part = self.parent()
        if part is not None:
            part.removeEventFilter(self)
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look again where the part may have come on screen."""
        if event.type() in _COMING and isinstance(watched, QWidget) and on_screen(watched):
            self.forget()
            self.came.emit(watched)
        return False
