"""The tabs of the open files, above the driver bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QTabBar, QToolButton, QWidget

from playground.ui.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent

    from playground.ui.document import Document
    from playground.ui.open_files import OpenFiles
    from playground.ui.theme import Theme

UNSAVED = "●"


class FileTabs(QWidget):
    """A tab for each file; hidden while none is open.

    `closeWanted` carries documents that are to be asked about and closed; `copyWanted` and
    `revealWanted` a path.
    """

    closeWanted = Signal(list)
    copyWanted = Signal(str)
    revealWanted = Signal(str)

    def __init__(self, files: OpenFiles, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files = files
        self._theme = theme
        self._shown: list[Document] = []
        self._refreshing = False
        self.setObjectName("fileTabs")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.bar = _Bar(self)
        self.bar.currentChanged.connect(self._on_chosen)
        self.bar.tabMoved.connect(self._on_moved)
        self.bar.tabCloseRequested.connect(lambda place: self._close(place))
        self.bar.closeWanted.connect(self._close)
        self.bar.menuWanted.connect(self._offer)
        self.list = QToolButton(self)
        self.list.setObjectName("fileTabs.list")
        self.list.setAccessibleName("List of open files")
        self.list.setToolTip("All open files")
        self.list.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.list.setAutoRaise(True)
        self._menu = QMenu(self.list)
        self._menu.setObjectName("fileTabs.files")
        self._menu.aboutToShow.connect(self._fill_list)
        self.list.setMenu(self._menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.bar, 1)
        row.addWidget(self.list)
        files.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the files as they are now."""
        files, bar = self._files, self.bar
        self.setVisible(not files.is_blank)
        documents, names = list(files.documents), files.names()
        self._refreshing = True
        if documents != self._shown:
            while bar.count() > len(documents):
                bar.removeTab(bar.count() - 1)
            while bar.count() < len(documents):
                bar.addTab("")
            self._shown = documents
        busy = files.busy()
        for place, document in enumerate(documents):
            self._label(place, document, names[document], at_work=document is busy)
        bar.setCurrentIndex(documents.index(files.current))
        self._refreshing = False
        self.list.setVisible(len(documents) > 1)

    def _label(self, place: int, document: Document, name: str, *, at_work: bool) -> None:
        bar = self.bar
        text = f"{name} {UNSAVED}" if document.dirty else name
        if bar.tabText(place) != text:
            bar.setTabText(place, text)
        gone = document.file.is_gone
        told = [name]
        if document.dirty:
            told.append("unsaved changes")
        if gone:
            told.append("no longer on disk")
        if at_work:
            told.append("at work")
        bar.setAccessibleTabName(place, ", ".join(told))
        tip = "\n".join(
            [document.path or "Not saved yet", *(part.capitalize() for part in told[1:])]
        )
        if bar.tabToolTip(place) != tip:
            bar.setTabToolTip(place, tip)
        state = "gone" if gone else "work" if at_work else ""
        if bar.tabData(place) != (state, self._theme.name):
            picture = {"gone": ("warning", "warn"), "work": ("clock", "accent_link")}.get(state)
            bar.setTabIcon(place, icon(picture[0], self._theme, picture[1]) if picture else QIcon())
            bar.setTabData(place, (state, self._theme.name))
        button = bar.tabButton(place, QTabBar.ButtonPosition.RightSide)
        if button is not None:
            button.setObjectName(f"fileTabs.close.{place}")
            button.setAccessibleName(f"Close {name}")
            button.setToolTip(f"Close {name}")

    # ------------------------------------------------------------------------- choosing

    def _on_chosen(self, place: int) -> None:
        if not self._refreshing and 0 <= place < len(self._shown):
            self._files.show(self._shown[place])

    def _on_moved(self, before: int, after: int) -> None:
        if not self._refreshing:
            moved = self._shown.pop(before)
            self._shown.insert(after, moved)
            self._files.move(moved, after)

    def _close(self, place: int) -> None:
        if 0 <= place < len(self._shown):
            self.closeWanted.emit([self._shown[place]])

    def _fill_list(self) -> None:
        self._menu.clear()
        names = self._files.names()
        for document in self._files.documents:
            mark = f" {UNSAVED}" if document.dirty else ""
            action = self._menu.addAction(names[document] + mark)
            action.setToolTip(document.path)
            action.setCheckable(True)
            action.setChecked(document is self._files.current)
            action.triggered.connect(lambda _=False, which=document: self._files.show(which))

    def _offer(self, place: int, where: QPoint) -> None:
        if not 0 <= place < len(self._shown):
            return
        document = self._shown[place]
        others = [each for each in self._shown if each is not document]
        behind = self._shown[place + 1 :]
        menu = QMenu(self)
        menu.setObjectName("fileTabs.menu")
        menu.addAction("Close", lambda: self.closeWanted.emit([document]))
        menu.addAction("Close others", lambda: self.closeWanted.emit(others)).setEnabled(
            bool(others)
        )
        menu.addAction(
            "Close those to the right", lambda: self.closeWanted.emit(behind)
        ).setEnabled(bool(behind))
        menu.addAction("Close all", lambda: self.closeWanted.emit([*others, document]))
        menu.addSeparator()
        copy = menu.addAction("Copy path", lambda: self.copyWanted.emit(document.path))
        reveal = menu.addAction("Open its folder", lambda: self.revealWanted.emit(document.path))
        for action in (copy, reveal):
            action.setEnabled(bool(document.path))
        for action in menu.actions():
            action.setObjectName(f"fileTabs.menu.{action.text()}")
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)


class _Bar(QTabBar):
    """Tabs that can be dragged, closed by the middle button, and have a menu."""

    closeWanted = Signal(int)
    menuWanted = Signal(int, QPoint)

    def __init__(self, tabs: FileTabs) -> None:
        super().__init__(tabs)
        self.setObjectName("fileTabs.bar")
        self.setProperty("files", "true")
        self.setAccessibleName("Open files")
        self.setTabsClosable(True)
        self.setMovable(True)
        self.setDocumentMode(True)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionBehaviorOnRemove(QTabBar.SelectionBehavior.SelectLeftTab)

    def tabSizeHint(self, index: int) -> QSize:
        """Return the room that a name takes; a very long one is cut short in its middle."""
        hint = super().tabSizeHint(index)
        most = 34 * self.fontMetrics().averageCharWidth()
        return QSize(min(max(hint.width(), self._name_px(index)), most), hint.height())

    def minimumTabSizeHint(self, index: int) -> QSize:
        """Return the same: tabs that do not fit are scrolled to, not crushed."""
        return self.tabSizeHint(index)

    def _name_px(self, index: int) -> int:
        line = self.fontMetrics().height()
        picture = 0 if self.tabIcon(index).isNull() else 2 * line
        return self.fontMetrics().horizontalAdvance(self.tabText(index)) + 3 * line + picture

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Close the tab that was clicked with the middle button."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.MiddleButton:
            place = self.tabAt(event.position().toPoint())
            if place >= 0:
                self.closeWanted.emit(place)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the tab under the mouse, or with the one in front."""
        by_key = event.reason() == event.Reason.Keyboard
        place = self.currentIndex() if by_key else self.tabAt(event.pos())
        where = self.mapToGlobal(self.tabRect(place).bottomLeft()) if by_key else event.globalPos()
        self.menuWanted.emit(place, where)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the tab in front by the Delete key; arrows go from tab to tab."""
        if event.key() == Qt.Key.Key_Delete:
            self.closeWanted.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)
