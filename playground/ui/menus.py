"""The menu bar: the actions of the table, the panels, and the lists of files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence, QShortcut

from playground.ui.docks import DOCKS
from playground.ui.icons import icon
from playground.ui.tab_actions import MORE_KEYS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from playground.ui.window import MainWindow


class Menus(QObject):
    """The menus of one window; `recent` and `kernels` are filled when they are looked at."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._build()

    def _build(self) -> None:
        window = self._window
        menus = window.actions_table.fill_menu_bar(window.menuBar())
        self.recent = self._sub_menu("Open &recent", "file.recent", "clock")
        self.kernels = self._sub_menu("&Bundled kernels", "file.kernels", "coverage")
        before = window.actions_table["file.save"]
        separators = [a for a in menus["file"].actions() if a.isSeparator()]
        anchor = separators[0] if separators else before
        menus["file"].insertMenu(anchor, self.recent)
        menus["file"].insertMenu(anchor, self.kernels)
        # The lists are read when they are looked at, not when the window starts.
        self.recent.aboutToShow.connect(self.fill_recent)
        self.kernels.aboutToShow.connect(self.fill_kernels)
        for keys, name in MORE_KEYS:
            shortcut = QShortcut(QKeySequence(keys), window)
            shortcut.setObjectName(f"{name}.{keys}")
            shortcut.activated.connect(window.actions_table[name].trigger)
        palette = menus["view"].actions()[2]
        for spec in DOCKS:
            action = window.docks[spec.id].toggleViewAction()
            focus = QAction(window)
            focus.setObjectName(f"focus.{spec.id}")
            focus.setShortcut(QKeySequence(spec.keys))
            focus.triggered.connect(lambda _=False, name=spec.id: window.docks.show(name))
            window.addAction(focus)
            menus["view"].insertAction(palette, action)
        menus["view"].insertSeparator(window.docks[DOCKS[0].id].toggleViewAction())

    def _sub_menu(self, title: str, name: str, picture: str) -> QMenu:
        menu = self._window.menuBar().addMenu(title)
        self._window.menuBar().removeAction(menu.menuAction())
        menu.setObjectName(name)
        menu.menuAction().setObjectName(name)
        menu.setIcon(icon(picture, self._window.theme))
        return menu

    def fill_recent(self) -> None:
        """List what was opened last."""
        self.recent.clear()
        for path in self._window.settings.recent:
            action = self.recent.addAction(os.path.basename(path))
            action.setStatusTip(path)
            action.setToolTip(path)
            action.triggered.connect(lambda _=False, path=path: self._window.files.open_path(path))
        if self.recent.isEmpty():
            self.recent.addAction("Nothing opened yet").setEnabled(False)
        else:
            self.recent.addSeparator()
            self.recent.addAction("Clear", self._window.files.clear_recent)

    def fill_kernels(self) -> None:
        """List the bundled kernels, a group after the other."""
        from playground.model.bundled import kernel_groups

        self.kernels.clear()
        for group in kernel_groups():
            self.kernels.addSeparator()
            for kernel in group.kernels:
                action = self.kernels.addAction(kernel.title)
                action.setStatusTip(kernel.line)
                action.triggered.connect(
                    lambda _=False, path=kernel.path: self._window.files.open_path(str(path))
                )
