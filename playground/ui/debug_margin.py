"""Breakpoints beside the text and the line at which a program stands: drawn, set, moved along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QInputDialog, QMenu

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from playground.ui.document import Document
    from playground.ui.editor.code_editor import CodeEditor


class DebugMargin(QObject):
    """Keeps the document's breakpoints at their text while it is edited."""

    def __init__(self, document: Document, editor: CodeEditor) -> None:
        super().__init__(document)
        self._debugging = document.debugging
        self._editor = editor
        self._cursors: list[tuple[QTextCursor, str]] = []
        editor.gutter.markClicked.connect(self._debugging.toggle_point)
        editor.gutter.menuWanted.connect(self._offer)
        editor.edited.connect(self._follow)
        self._debugging.pointsChanged.connect(self._place)
        self._debugging.changed.connect(self._show)
        self._debugging.stopped.connect(self._go_there)
        self._place()

    def ask_condition(self, line: int) -> None:
        """Ask for the condition of a line's breakpoint, setting one where there is none."""
        dialog = QInputDialog(self._editor)
        dialog.setObjectName("debugger.condition")
        dialog.setWindowTitle("Breakpoint condition")
        dialog.setLabelText(
            f"Stop at line {line} only where this holds.\n"
            "Values are NumPy arrays: x.max() > 4, np.isnan(acc).any(), k == 2"
        )
        dialog.setTextValue(self._debugging.points.get(line, ""))
        dialog.textValueSelected.connect(lambda text: self._debugging.set_condition(line, text))
        dialog.open()

    def _offer(self, line: int, where: QPoint) -> None:
        menu = QMenu(self._editor)
        menu.setObjectName("debugger.pointMenu")
        known = line in self._debugging.points
        menu.addAction(
            "Take the breakpoint away" if known else "Set a breakpoint",
            lambda: self._debugging.toggle_point(line),
        )
        menu.addAction("Condition…", lambda: self.ask_condition(line))
        if self._debugging.stop is not None:
            menu.addAction("Run to this line", lambda: self._debugging.move("until", line))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

    def _place(self) -> None:
        """Put a cursor at each breakpoint: Qt moves it with the text."""
        self._cursors = []
        for line, condition in self._debugging.points.items():
            block = self._editor.document().findBlockByNumber(line - 1)
            if block.isValid():
                cursor = QTextCursor(block)
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
                self._cursors.append((cursor, condition))
        self._show()

    def _follow(self, _text: str) -> None:
        self._debugging.points_at(
            {cursor.blockNumber() + 1: condition for cursor, condition in self._cursors}
        )

    def _show(self) -> None:
        line = 0 if self._debugging.slow else self._debugging.line
        self._editor.gutter.show_points(self._debugging.points, line)
        self._editor.mark_stopped(line)

    def _go_there(self) -> None:
        line = self._debugging.line
        if line:
            # The views and their keys keep the keyboard.
            self._editor.go_to(line, focus=False)
