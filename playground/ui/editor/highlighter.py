"""Colours the editor's text from a whole-document lex, some milliseconds after the last key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat

from playground.ui.editor.lexing import LexedText, Span

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from playground.ui.theme import Theme

DELAY_MS = 25
_KINDS = ("keyword", "string", "comment", "number", "name", "builtin", "decorator")


class Highlighter(QSyntaxHighlighter):
    """Applies cached spans; only lines whose spans changed are formatted again.

    The number Qt keeps for each line holds the index of its spans, so spans travel with their lines
    when others are put in above. `edit_column` is where the user types: until the next lex, what
    stands behind it on that line is moved along.
    """

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._lexed = LexedText()
        self._table: list[tuple[int, tuple[Span, ...]]] = []
        self._index: dict[tuple[int, tuple[Span, ...]], int] = {}
        self._formats: dict[str, QTextCharFormat] = {}
        self.edit_column = 0
        self._shown = self._recoloured = True
        self._started = False
        # Lines put in since the last lex: how many stand before them, how many behind.
        self._before: int | None = None
        self._behind: int | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self.refresh)
        self._make_formats()
        theme.changed.connect(self._recolour)

    def start(self) -> None:
        """Read the text for the first time, and from now on after every change."""
        if self._started:
            return
        self._started = True
        self.document().contentsChange.connect(self._on_change)
        self.refresh()

    @property
    def shown(self) -> bool:
        """Whether the text is on the screen; one that is not gets its new colours when it is."""
        return self._shown

    @shown.setter
    def shown(self, on: bool) -> None:
        self._shown = on
        if on and not self._recoloured:
            self._recolour()

    def refresh(self) -> None:
        """Bring all colours up to date now."""
        self._timer.stop()
        text = self.document().toRawText().replace("\u2029", "\n")
        first, stop = self._lexed.update(text)
        if self._before is not None and self._behind is not None:
            # The same text put in anew is another set of lines to Qt, without any colour.
            first = min(first, self._before)
            stop = max(stop, self.document().blockCount() - self._behind)
        self._before = self._behind = None
        stop = min(stop, len(self._lexed.spans))
        block = self.document().findBlockByNumber(first)
        for line in range(first, stop):
            if not block.isValid():
                break
            entry = self._entry(block.length() - 1, self._lexed.spans[line])
            if block.userState() != entry:
                block.setUserState(entry)
                self.rehighlightBlock(block)
            block = block.next()

    def is_string(self, line: int, column: int) -> bool:
        """Tell whether a position lies in a string or a comment, as far as read."""
        if line >= len(self._lexed.spans):
            return False
        return any(
            start <= column < start + length and kind in ("string", "comment")
            for start, length, kind in self._lexed.spans[line]
        )

    def highlightBlock(self, text: str) -> None:
        """Format one line from its spans."""
        state = self.currentBlockState()
        if not 0 <= state < len(self._table):
            return
        length, spans = self._table[state]
        moved = len(text) - length
        for start, count, kind in spans:
            if moved:
                if start >= self.edit_column - max(moved, 0):
                    start += moved
                elif start + count > self.edit_column - max(moved, 0):
                    count += moved
            if count > 0 and start >= 0:
                self.setFormat(start, count, self._formats[kind])

    def _on_change(self, position: int, removed: int, added: int) -> None:
        if not removed and not added:
            return
        document = self.document()
        last = document.findBlock(position + added)
        before = document.findBlock(position).blockNumber()
        behind = document.blockCount() - last.blockNumber() - 1 if last.isValid() else 0
        self._before = before if self._before is None else min(self._before, before)
        self._behind = behind if self._behind is None else min(self._behind, behind)
        self._timer.start()

    def _entry(self, length: int, spans: tuple[Span, ...]) -> int:
        key = (length, spans)
        entry = self._index.get(key)
        if entry is None:
            entry = self._index[key] = len(self._table)
            self._table.append(key)
        return entry

    def _make_formats(self) -> None:
        for kind in _KINDS:
            style = QTextCharFormat()
            style.setForeground(self._theme.color(f"code_{kind}"))
            if kind == "keyword":
                style.setFontWeight(QFont.Weight.DemiBold)
            if kind == "comment":
                style.setFontItalic(True)
            self._formats[kind] = style

    def _recolour(self) -> None:
        self._recoloured = self._shown
        if not self._shown:
            return
        self._make_formats()
        self.rehighlight()
