"""A read-only text whose parts fold into their first line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtGui import QTextBlock

    from playground.ui.views.ir_fold import Region


class FoldingText(QPlainTextEdit):
    """Hides lines behind the first of their region; `foldsChanged` tells when that changed."""

    foldsChanged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._regions: dict[int, Region] = {}
        self._folded: set[int] = set()
        self._after_hidden: dict[int, int] = {}

    def set_folding_text(self, text: str, folds: Sequence[Region]) -> None:
        """Show another text with what folds in it, each region in its first state."""
        self._regions = {region.start: region for region in folds}
        self._folded = {region.start for region in folds if region.folded}
        self._after_hidden = {}
        self.setPlainText(text)
        if self._folded:
            self._apply_folds(0, self.blockCount() - 1)

    @property
    def folded(self) -> frozenset[int]:
        """First lines of what is folded now, from 0."""
        return frozenset(self._folded)

    def can_fold(self, line: int) -> bool:
        """Tell whether something that folds begins in a line."""
        return line in self._regions

    def set_folded(self, line: int, on: bool) -> None:
        """Fold what begins in a line, or unfold it."""
        region = self._regions.get(line)
        if region is None or (line in self._folded) == on:
            return
        self._folded.symmetric_difference_update({line})
        self._apply_folds(region.start, region.end)
        self.foldsChanged.emit()

    def fold_all(self, on: bool) -> None:
        """Fold everything that is not held by something else folded, or unfold all of it."""
        self._folded = set(self._regions) if on else set()
        self._apply_folds(0, self.blockCount() - 1)
        self.foldsChanged.emit()

    def reveal(self, line: int) -> None:
        """Unfold whatever hides a line."""
        hiding = [
            at for at in self._folded if at < line <= self._regions[at].end
        ]  # fmt: skip
        for at in hiding:
            self.set_folded(at, on=False)

    def _apply_folds(self, first: int, last: int) -> None:
        hidden = bytearray(self.blockCount() + 1)
        for at in self._folded:
            start, end = at + 1, min(self._regions[at].end, self.blockCount() - 1)
            hidden[start : end + 1] = b"\x01" * (end + 1 - start)
        self._after_hidden = {}
        start = hidden.find(1)
        while start >= 0:
            end = hidden.find(0, start)
            self._after_hidden[start] = end
            start = hidden.find(1, end)
        block = self.document().findBlockByNumber(first)
        begin = block.position()
        while block.isValid() and block.blockNumber() <= last:
            shown = not hidden[block.blockNumber()]
            if block.isVisible() != shown:
                block.setVisible(shown)
                block.setLineCount(1 if shown else 0)
            stop = block.position() + block.length()
            block = block.next()
        self.document().markContentsDirty(begin, max(stop - begin - 1, 0))
        layout = self.document().documentLayout()
        layout.documentSizeChanged.emit(layout.documentSize())
        self.viewport().update()

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, int]]:
        """Yield the lines in view with their top in pixels."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        bottom = self.viewport().height()
        while block.isValid() and top <= bottom:
            skip = self._after_hidden.get(block.blockNumber())
            if skip is not None:
                block = self.document().findBlockByNumber(skip)
                continue
            if block.isVisible():
                yield block, round(top)
                top += self.blockBoundingRect(block).height()
            block = block.next()
