"""One compiler stage's text: searchable, folding, and tied line by line to the source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from playground.ui.views.code_text import CodeText
from playground.ui.views.ir_fold import regions

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.theme import Theme

Lines = tuple[tuple[int, ...], ...]
"""By text line, the source lines behind it, innermost first."""


_WIDE_GAPS = re.compile(r"^ +(/\*[0-9a-f]{4,}\*/) {4,}", re.MULTILINE)
"""The disassembler's columns: half a panel of blanks before each instruction."""


class IrText(CodeText):
    """The text itself, its source lines in the margin.

    `sourceLinesMarked` carries the source lines behind a line that was clicked, innermost first;
    `sourceLineRequested` the innermost of one that was picked with Enter or a double click.
    """

    sourceLinesMarked = Signal(tuple)
    sourceLineRequested = Signal(int)

    def __init__(self, stage: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(f"compiler.ir.{stage}", stage, theme, parent)
        self.setAccessibleName(f"{stage} text")
        self._stage = stage
        self._lines: Lines = ()
        self._behind: dict[int, list[int]] = {}
        self._source_line = 0
        self.lineClicked.connect(self._on_click)
        self.linePicked.connect(self._on_pick)

    def show_ir(self, text: str, lines: Lines) -> None:
        """Show a text whose line `i` came from the source lines `lines[i]`, innermost first."""
        if self._stage == "sass":
            text = _WIDE_GAPS.sub(r"  \1  ", text)
        self._lines, self._behind = lines, {}
        for index, behind in enumerate(lines):
            for line in behind:
                self._behind.setdefault(line, []).append(index)
        rows = text.split("\n")
        digits = len(str(max(self._behind, default=0)))
        helpers = any(len(behind) > 1 for behind in set(lines))
        chars = (digits * 2 + 2 if helpers else digits + 1) if self._behind else 0
        self.show_text(
            text, labels=lambda at: (str(at + 1), _chain(self.source_lines(at))),
            label_chars=(len(str(max(len(rows), 99))), chars), folds=regions(self._stage, rows),
        )  # fmt: skip
        self.set_marks(self.lines_of(self._source_line))

    @property
    def source_line(self) -> int:
        """The source line whose text lines are marked, 0 for none."""
        return self._source_line

    def source_lines(self, line: int) -> tuple[int, ...]:
        """Return the source lines behind the text's line `line` (from 0), innermost first."""
        return self._lines[line] if 0 <= line < len(self._lines) else ()

    def lines_of(self, source_line: int) -> tuple[int, ...]:
        """Return the text's lines that came from a source line, through helpers as well."""
        return tuple(self._behind.get(source_line, ()))

    def show_source_line(self, line: int, *, scroll: bool = True) -> None:
        """Mark what came from source line `line`, and bring the first of it into view."""
        self._source_line = line
        lines = self.lines_of(line)
        self.set_marks(lines)
        if not scroll or not lines:
            return
        shown = {block.blockNumber() for block, _ in self.visible_blocks()}
        if shown.isdisjoint(lines):
            self.go_to_line(lines[0])

    def _on_click(self, line: int) -> None:
        lines = self.source_lines(line)
        if lines:
            self.show_source_line(lines[0], scroll=False)
            self.sourceLinesMarked.emit(lines)

    def _on_pick(self, line: int) -> None:
        lines = self.source_lines(line)
        if lines:
            self.show_source_line(lines[0], scroll=False)
            self.sourceLinesMarked.emit(lines)
            self.sourceLineRequested.emit(lines[0])

    def mouseDoubleClickEvent(self, event: object) -> None:
        """Go to the source of the line."""
        super().mouseDoubleClickEvent(event)  # type: ignore[arg-type]
        self._on_pick(self.textCursor().blockNumber())


def _chain(lines: tuple[int, ...]) -> str:
    """Return `:24` for a line, `:21‹49` for a helper's line called from line 49."""
    return f":{'‹'.join(str(line) for line in lines[:2])}" if lines else ""
