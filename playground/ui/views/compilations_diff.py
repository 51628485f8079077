"""Two texts side by side: aligned, scrolled together, changes tinted, stepped through by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from playground.ui.views.code_text import CodeText
from playground.ui.views.diff_rows import change_heads, changed_span, diff_rows

if TYPE_CHECKING:
    from PySide6.QtWidgets import QScrollBar

    from playground.protocol.messages import StageDiff
    from playground.ui.theme import Theme
    from playground.ui.views.diff_rows import DiffRow

_LEFT = {"replace": "diff_changed", "delete": "diff_removed", "insert": "diff_filler"}
_RIGHT = {"replace": "diff_changed", "delete": "diff_filler", "insert": "diff_added"}
_RULED = {"replace": "warn", "delete": "bad", "insert": "good"}


class DiffPair(QWidget):
    """Shows a `StageDiff`; `changes` is how many places differ."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compilations.pair")
        self._theme = theme
        self._diff: StageDiff | None = None
        self._only = False
        self._texts: tuple[CodeText, CodeText] | None = None
        self._stage = ""
        self._heads: tuple[int, ...] = ()
        self._spans: dict[int, tuple[int, int]] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)

    @property
    def changes(self) -> int:
        """How many places differ."""
        return len(self._heads)

    @property
    def texts(self) -> tuple[CodeText, CodeText] | None:
        """Both texts, once there were any."""
        return self._texts

    def show_diff(self, diff: StageDiff, *, only_changes: bool) -> None:
        """Show two texts; with `only_changes` little of what is equal stays."""
        if diff is self._diff and only_changes == self._only:
            return
        self._diff, self._only = diff, only_changes
        rows = diff_rows(diff.left, diff.right, diff.blocks, only_changes=only_changes)
        self._heads = change_heads(rows)
        left, right = self._make(diff.stage)
        digits = len(str(max(diff.left.count("\n"), diff.right.count("\n"), 99)))
        both = {
            at: changed_span(row.left_text, row.right_text)
            for at, row in enumerate(rows)
            if row.tag == "replace" and row.left and row.right
        }
        self._spans = {at: spans[1] for at, spans in both.items()}
        self._fill(left, rows, digits, {at: spans[0] for at, spans in both.items()}, 0)
        self._fill(right, rows, digits, self._spans, 1)

    def step(self, direction: int) -> None:
        """Go to the next or previous change."""
        if self._texts is None:
            return
        text = self._texts[1]
        text.step_mark(direction)
        # What changed is often far to the right.
        cursor = text.textCursor()
        start, _ = self._spans.get(cursor.blockNumber(), (0, 0))
        cursor.setPosition(cursor.block().position() + start)
        text.setTextCursor(cursor)
        # A line begins at its first column unless what changed is out of view there.
        text.horizontalScrollBar().setValue(0)
        text.ensureCursorVisible()

    def _make(self, stage: str) -> tuple[CodeText, CodeText]:
        if self._texts is not None and stage == self._stage:
            return self._texts
        for old in self._texts or ():
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._stage = stage
        left = CodeText("compilations.left", stage, self._theme, self)
        right = CodeText("compilations.right", stage, self._theme, self)
        left.setAccessibleName("Text of the left compilation")
        right.setAccessibleName("Text of the right compilation")
        for one, other in ((left, right), (right, left)):
            # A bar on one side only would leave the sides of different heights.
            one.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
            for bar, twin in (
                (one.verticalScrollBar(), other.verticalScrollBar()),
                (one.horizontalScrollBar(), other.horizontalScrollBar()),
            ):
                bar.valueChanged.connect(lambda value, twin=twin: _follow(twin, value))
                # A text learns how wide its lines are as it draws them: only then it can follow.
                bar.rangeChanged.connect(
                    lambda *_range, bar=bar, twin=twin: _follow(bar, twin.value())
                )
            self._row.addWidget(one, 1)
        self._texts = (left, right)
        return self._texts

    def _fill(
        self,
        text: CodeText,
        rows: tuple[DiffRow, ...],
        digits: int,
        spans: dict[int, tuple[int, int]],
        side: int,
    ) -> None:
        left_side = side == 0
        tokens = _LEFT if left_side else _RIGHT
        numbers = [row.left if left_side else row.right for row in rows]
        tints = {
            at: "hover" if row.tag == "gap" else tokens[row.tag]
            for at, row in enumerate(rows)
            if row.tag != "equal"
        }
        for at, row in enumerate(rows):
            if row.tag == "replace" and not numbers[at]:
                tints[at] = "diff_filler"
        shown = "\n".join(row.left_text if left_side else row.right_text for row in rows)
        text.show_text(
            shown, labels=lambda at: (str(numbers[at] or "") if at < len(numbers) else "", ""),
            label_chars=(digits, 0), tints=tints, spans=spans,
        )  # fmt: skip
        text.set_ruled({at: _RULED[row.tag] for at, row in enumerate(rows) if row.tag in _RULED})


def _follow(bar: QScrollBar, value: int) -> None:
    """Move the twin of a scroll bar; a text that is shorter stays at its end."""
    if bar.value() != min(value, bar.maximum()):
        bar.setValue(value)
