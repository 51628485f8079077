"""Tabs of panels that share a place: icon and name, or only one of the two where room is short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QIcon

from playground.ui.icons import icon
from playground.ui.tab_density import set_density

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QDockWidget, QTabBar

    from playground.ui.theme import Theme

_PADDING_LINES = 2.0
"""What the stylesheet puts around a tab's contents, and a little more, in heights of a line."""
_BESIDE_ICON_PX = 14


@dataclass(frozen=True)
class TabbedDock:
    """A panel with the name and the icon that its tab has."""

    dock: QDockWidget
    title: str
    icon: str

    def show_title(self, *, whole: bool) -> None:
        """Let the tab carry its name, or leave it to its icon."""
        title = self.title if whole else ""
        if self.dock.windowTitle() != title:
            self.dock.setWindowTitle(title)
            # Menus show the name in any case.
            self.dock.toggleViewAction().setText(self.title)


class DockTabs(QObject):
    """Keeps one tab bar readable: all whole, else names alone, else icons and the front one's name.

    Qt writes a panel's window title on its tab whenever it lays the panels out, so a tab without
    its name is that of a panel without a title; the name is in the tooltip and for screen readers.
    """

    def __init__(self, tabs: QTabBar, docks: Mapping[int, TabbedDock], theme: Theme) -> None:
        super().__init__(tabs)
        self._tabs, self._docks, self._theme = tabs, docks, theme
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.fit)
        tabs.setAccessibleName("Panels")
        tabs.setDrawBase(False)
        tabs.setExpanding(False)
        tabs.setElideMode(Qt.TextElideMode.ElideNone)
        tabs.installEventFilter(self)
        tabs.currentChanged.connect(self._later.start)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit again when the bar has another size or its letters have."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.FontChange):
            self._later.start()
        return False

    def fit(self) -> None:
        """Show as much of every tab as fits."""
        tabs = self._tabs
        shown = [self._docks.get(tabs.tabData(index)) for index in range(tabs.count())]
        known = [each for each in shown if each is not None]
        if not known or len(known) != len(shown):
            return
        room = tabs.width()
        named = sum(self._width(each.title, pictured=False) for each in known)
        pictured = sum(self._width(each.title, pictured=True) for each in known) <= room
        set_density(tabs, "false" if named <= room else "tight")
        for index, each in enumerate(known):
            whole = named <= room or index == tabs.currentIndex()
            each.show_title(whole=whole)
            if tabs.tabToolTip(index) != each.title:
                tabs.setTabToolTip(index, each.title)
            tabs.setAccessibleTabName(index, each.title)
            bare = not pictured and whole
            drawing = QIcon() if bare else icon(each.icon, self._theme, "muted")
            if drawing.cacheKey() != tabs.tabIcon(index).cacheKey():
                tabs.setTabIcon(index, drawing)

    def _width(self, title: str, *, pictured: bool) -> int:
        """Return the width of a tab with its name; Qt tells only that of what is shown now."""
        metrics = self._tabs.fontMetrics()
        width = metrics.horizontalAdvance(title) + round(_PADDING_LINES * metrics.height())
        return width + (self._tabs.iconSize().width() + _BESIDE_ICON_PX if pictured else 0)
