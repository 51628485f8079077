"""Folding: which lines of Python hide behind which, and hiding them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextCursor

from playground.ui.editor import edits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QTextDocument
    from PySide6.QtWidgets import QPlainTextEdit


def regions(lines: Sequence[str]) -> dict[int, int]:
    """Return for each line (from 0) that others are indented under the last of those.

    Empty lines at the end of a part stay in view, for they set it apart from what follows.
    """
    found: dict[int, int] = {}
    open_at: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        indent = len(edits.leading(line).expandtabs(edits.INDENT))
        while open_at and indent <= open_at[-1][1]:
            start, _ = open_at.pop()
            if last > start:
                found[start] = last
        open_at.append((number, indent))
        last = number
    for start, _ in open_at:
        if last > start:
            found[start] = last
    return found


class Folds(QObject):
    """What is folded in one text; folds move with their lines as the text is edited."""

    changed = Signal()

    def __init__(self, text: QPlainTextEdit) -> None:
        super().__init__(text)
        self._text = text
        self._heads: list[QTextCursor] = []
        self._regions: dict[int, int] | None = None
        self._followed = text.document()
        self._followed.contentsChanged.connect(self._on_edited)
        text.cursorPositionChanged.connect(self._on_cursor)

    def forget(self) -> None:
        """Nothing is folded any more: another text is shown."""
        self._heads = []
        self._regions = None

    def follow(self, document: QTextDocument, heads: list[QTextCursor]) -> None:
        """Look after another text, in which this much is folded already."""
        self._followed.contentsChanged.disconnect(self._on_edited)
        self._followed = document
        document.contentsChanged.connect(self._on_edited)
        self._heads, self._regions = heads, None

    @property
    def heads(self) -> list[QTextCursor]:
        """The places of the lines that something is folded behind."""
        return list(self._heads)

    @property
    def folded(self) -> tuple[int, ...]:
        """The lines that something is folded behind, from 0."""
        return tuple(sorted({head.blockNumber() for head in self._heads}))

    def can_fold(self, line: int) -> bool:
        """Tell whether lines are indented under a line."""
        return line in self._now()

    def toggle(self, line: int) -> None:
        """Fold what a line begins or what it lies in, or unfold it."""
        if line in self.folded:
            self._heads = [head for head in self._heads if head.blockNumber() != line]
        else:
            start = self._holder(line)
            if start is None:
                return
            self._heads.append(QTextCursor(self._text.document().findBlockByNumber(start)))
            self._leave(start)
        self._apply()

    def fold_all(self) -> None:
        """Fold every part that begins at the text's left edge."""
        document = self._text.document()
        heads = [line for line in self._now() if not edits.leading(_line(self._text, line))]
        self._heads = [QTextCursor(document.findBlockByNumber(line)) for line in heads]
        at = self._text.textCursor().blockNumber()
        for start in heads:
            if start < at <= self._now()[start]:
                self._leave(start)
        self._apply()

    def unfold_all(self) -> None:
        """Show every line."""
        self._heads = []
        self._apply()

    def reveal(self, line: int) -> None:
        """Unfold whatever hides a line."""
        now = self._now()
        kept = [
            head for head in self._heads
            if not head.blockNumber() < line <= now.get(head.blockNumber(), -1)
        ]  # fmt: skip
        if len(kept) != len(self._heads):
            self._heads = kept
            self._apply()

    def _holder(self, line: int) -> int | None:
        """Return the line that begins the smallest part around a line."""
        if self.can_fold(line):
            return line
        holding = [start for start, end in self._now().items() if start < line <= end]
        return max(holding, default=None)

    def _leave(self, line: int) -> None:
        """Put the cursor at the end of a line, should it be in what is about to be hidden."""
        cursor = self._text.textCursor()
        if line < cursor.blockNumber() <= self._now().get(line, -1):
            block = self._text.document().findBlockByNumber(line)
            cursor.setPosition(block.position() + block.length() - 1)
            self._text.setTextCursor(cursor)

    def _now(self) -> dict[int, int]:
        if self._regions is None:
            self._regions = regions(self._text.document().toRawText().split("\u2029"))
        return self._regions

    def _on_edited(self) -> None:
        self._regions = None
        if self._heads:
            self._heads = [head for head in self._heads if self.can_fold(head.blockNumber())]
            self._apply()

    def _on_cursor(self) -> None:
        if self._heads and not self._text.textCursor().block().isVisible():
            self.reveal(self._text.textCursor().blockNumber())

    def _apply(self) -> None:
        now, document = self._now(), self._text.document()
        hidden = bytearray(document.blockCount())
        for start in self.folded:
            end = now.get(start, start)
            hidden[start + 1 : end + 1] = b"\x01" * (end - start)
        block, moved = document.begin(), False
        while block.isValid():
            shown = not hidden[block.blockNumber()]
            if block.isVisible() != shown:
                moved = True
                block.setVisible(shown)
                block.setLineCount(1 if shown else 0)
            block = block.next()
        if moved:
            document.markContentsDirty(0, document.characterCount() - 1)
            layout = document.documentLayout()
            layout.documentSizeChanged.emit(layout.documentSize())
            self._text.viewport().update()
        self.changed.emit()


def _line(text: QPlainTextEdit, line: int) -> str:
    return text.document().findBlockByNumber(line).text()
