"""The editor: keys, mouse and dropped files on a text with marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip

from playground.ui.editor import edits
from playground.ui.editor.finding_marks import tooltip
from playground.ui.editor.marked_text import MarkedText

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDragMoveEvent,
        QDropEvent,
        QKeyEvent,
        QMouseEvent,
        QResizeEvent,
        QWheelEvent,
    )
    from PySide6.QtWidgets import QWidget

    from playground.ui.theme import Theme

_POPUP_KEYS = (
    Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab,
)  # fmt: skip


class CodeEditor(MarkedText):
    """A Python editor; what it wants to know of names it asks for by signals, `line` from 0."""

    filesDropped = Signal(list)
    completionWanted = Signal(bool)
    callWanted = Signal()
    docWanted = Signal(int, int)
    definitionWanted = Signal()
    hintsUnwanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("editor")
        self.setAccessibleName("Kernel source")
        self.popup: QWidget | None = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the margin beside the text."""
        super().resizeEvent(event)
        self.place_gutter()

    def event(self, event: QEvent) -> bool:
        """Show the findings under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            point = self.viewport().mapFrom(self, event.pos())
            line = self.cursorForPosition(point).blockNumber() + 1
            found = self.findings_at(line)
            if found:
                QToolTip.showText(event.globalPos(), tooltip(found), self)
            else:
                QToolTip.hideText()
                self._tell_of(point)
            return True
        if event.type() in (QEvent.Type.FocusOut, QEvent.Type.Hide):
            self.hintsUnwanted.emit()
        return super().event(event)

    def _tell_of(self, point: QPoint) -> None:
        """Ask for the documentation of the name under a point of the viewport, if there is one."""
        cursor = self.cursorForPosition(point)
        if abs(self.cursorRect(cursor).center().x() - point.x()) < self.fontMetrics().height():
            self.docWanted.emit(cursor.blockNumber(), cursor.positionInBlock())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the definition of what is clicked with Ctrl."""
        super().mousePressEvent(event)
        self.hintsUnwanted.emit()
        if (
            event.button() == Qt.MouseButton.LeftButton
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            self.definitionWanted.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Indent, break lines and delete as in a programmer's editor."""
        key, held = event.key(), event.modifiers()
        shift = bool(held & Qt.KeyboardModifier.ShiftModifier)
        plain = not held & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        keys = Qt.Key
        if key == keys.Key_Escape:
            self.hintsUnwanted.emit()
        if self.popup is not None and self.popup.isVisible() and key in _POPUP_KEYS:
            # Ignored here, the key goes on to the completer's own handling.
            event.ignore()
            return
        if plain and key in (keys.Key_Return, keys.Key_Enter):
            edits.new_line(self)
        elif plain and key == keys.Key_Tab:
            edits.indent(self)
        elif key == keys.Key_Backtab:
            edits.dedent(self)
        elif plain and not shift and key == keys.Key_Backspace and edits.backspace(self):
            pass
        elif plain and key == keys.Key_Home:
            edits.smart_home(self, keep_anchor=shift)
        elif held == Qt.KeyboardModifier.ControlModifier and key == keys.Key_Space:
            self.completionWanted.emit(True)
        else:
            super().keyPressEvent(event)
            if plain and event.text() and (event.text().isalnum() or event.text() in "._"):
                self.completionWanted.emit(False)
            elif event.text() and event.text() in "(,=":
                self.callWanted.emit()
            return
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom while Ctrl is held."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y() / 120
            if steps:
                self.zoom(steps)
            event.accept()
        else:
            super().wheelEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files as well as text."""
        if _files(event):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Take files anywhere over the text."""
        if _files(event):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Hand dropped files on; dropped text goes into the text."""
        files = _files(event)
        if files:
            event.acceptProposedAction()
            self.filesDropped.emit(files)
        else:
            super().dropEvent(event)


def _files(event: QDropEvent) -> list[str]:
    data = event.mimeData()
    urls = data.urls() if data.hasUrls() else []
    return [url.toLocalFile() for url in urls if url.isLocalFile()]
