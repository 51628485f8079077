"""A new stylesheet for windows that are there: at once for what is seen, later for the rest."""

from __future__ import annotations

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from shiboken6 import isValid

from playground.ui.sight import FirstSight, on_screen

_DIRECTLY = Qt.FindChildOption.FindDirectChildrenOnly


class Restyling(QObject):
    """Dresses the parts of all windows in a stylesheet over the application's.

    Qt polishes each widget below one that takes another stylesheet: twice where it had one before,
    once where it had none or goes back to none; and below the application's as often as widgets
    stand in each other. So the application keeps its own, and a window's parts (menu bar, toolbar,
    each panel, …) take another one each, those out of sight when they come into sight. The main
    window itself takes none: what is drawn of it comes from the palette.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sheet = ""
        self._dressed: list[QWidget] = []
        self._waiting: list[FirstSight] = []
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._look_over)

    def wear(self, sheet: str) -> None:
        """Dress all parts in `sheet`; an empty one lets them go back to the application's."""
        self._sheet = sheet
        for sight in self._waiting:
            if isValid(sight):
                sight.forget()
        self._waiting = []
        before = [part for part in self._dressed if isValid(part)]
        self._dressed = []
        for window in _windows():
            if not isinstance(window, QMainWindow):
                self._offer(window)
                continue
            window.removeEventFilter(self)
            if sheet:
                window.installEventFilter(self)
            self._refresh(window)
        self._look_over()
        for part in before:
            # It may have gone from the window into another part since.
            self._offer(part)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Dress what is made later: dialogs, bars of tabs, panels that float together."""
        if isinstance(event, QChildEvent):
            child = event.child()
            if event.type() == QEvent.Type.ChildPolished and isinstance(child, QWidget):
                self._dress(child)
            elif event.type() == QEvent.Type.ChildAdded:
                # It is not to be touched while it is being made.
                self._again.start()
        return False

    def _look_over(self) -> None:
        for window in _windows():
            if isinstance(window, QMainWindow):
                for part in window.findChildren(QWidget, options=_DIRECTLY):
                    self._offer(part)

    def _offer(self, part: QWidget) -> None:
        if part.styleSheet() == self._sheet:
            return
        if on_screen(part):
            self._dress(part)
            return
        self._waiting = [sight for sight in self._waiting if isValid(sight)]
        if any(sight.parent() is part for sight in self._waiting):
            return
        sight = FirstSight(part)
        sight.came.connect(self._dress)
        self._waiting.append(sight)
        self._remember(part)

    def _dress(self, part: QWidget) -> None:
        if part.styleSheet() != self._sheet:
            part.setStyleSheet(self._sheet)
        self._remember(part)

    def _remember(self, part: QWidget) -> None:
        if part not in self._dressed:
            self._dressed.append(part)

    @staticmethod
    def _refresh(window: QMainWindow) -> None:
        """Have the window's own rules read the palette anew."""
        style = window.style()
        style.unpolish(window)
        style.polish(window)


def _windows() -> list[QWidget]:
    """Return the windows that stand for themselves."""
    return [each for each in QApplication.topLevelWidgets() if each.parent() is None]
