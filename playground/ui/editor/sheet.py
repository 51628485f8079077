"""One text of several that an editor shows, with its undo steps, cursor, folds and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from playground.ui.editor.finding_marks import FindingMarks
from playground.ui.editor.highlighter import Highlighter

if TYPE_CHECKING:
    from playground.ui.theme import Theme


class Sheet(QObject):
    """What is an editor's own of one text; the editor takes it up to show it, and puts it away.

    `heads` are the lines that something is folded behind; `scrolled` is how far it was scrolled
    down and to the right when it was put away.
    """

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.document = QTextDocument(self)
        self.document.setDocumentLayout(QPlainTextDocumentLayout(self.document))
        self.highlighter = Highlighter(self.document, theme)
        self.marks = FindingMarks(self.document)
        self.cursor = QTextCursor(self.document)
        self.heads: list[QTextCursor] = []
        self.scrolled = (0, 0)

    def text(self) -> str:
        """Return the whole text."""
        return self.document.toRawText().replace("\u2029", "\n")

    def load(self, text: str) -> None:
        """Hold another file's text while it is put away; undo starts anew."""
        self.marks.put(())
        self.heads = []
        self.document.setPlainText(text)
        self.cursor = QTextCursor(self.document)
        self.scrolled = (0, 0)

    @property
    def line(self) -> int:
        """The line of the cursor as it was put away, from 1."""
        return self.cursor.blockNumber() + 1

    def go_to(self, line: int) -> None:
        """Let the cursor be on a line, from 1, when the sheet is taken up."""
        block = self.document.findBlockByNumber(line - 1)
        if block.isValid():
            self.cursor = QTextCursor(block)
            self.scrolled = (max(line - 8, 0), 0)
