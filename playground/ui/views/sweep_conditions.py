"""The conditions of a sweep, one a line, with what is wrong marked at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from playground.ui.theme import mono_font
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QEvent

    from playground.ui.sweep_reading import ConditionProblem
    from playground.ui.theme import Theme

_LINES = (2, 6)


class SweepConditions(QWidget):
    """A small editor; `edited` carries its text."""

    edited = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.conditionsView")
        self._theme = theme
        self._problems: tuple[ConditionProblem, ...] = ()
        self.editor = QPlainTextEdit(self)
        self.editor.setObjectName("sweep.conditions")
        self.editor.setAccessibleName("Conditions that every config meets, one a line")
        self.editor.setPlaceholderText("BLOCK_M * BLOCK_N <= 32768")
        self.editor.setToolTip(
            "Python expressions over knobs and problem sizes, one a line; with comparisons, and, "
            "or, not, in, min, max, sum, any, all, abs, int, round, cdiv and next_power_of_2; "
            "a line behind # is left out"
        )
        self.editor.setFont(mono_font())
        self.editor.setTabChangesFocus(True)
        self.editor.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.editor.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.editor.textChanged.connect(self._on_edit)
        self._said = QLabel(self)
        self._said.setObjectName("sweep.conditionsProblem")
        self._said.setWordWrap(True)
        set_role(self._said, "bad")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.editor)
        layout.addWidget(self._said)
        theme.changed.connect(self._mark)
        self._fit()
        self._mark()

    def show_text(self, text: str, problems: Sequence[ConditionProblem]) -> None:
        """Show conditions and what is wrong with them; what is being typed stays."""
        if self.editor.toPlainText() != text and not self.editor.hasFocus():
            self.editor.blockSignals(True)
            self.editor.setPlainText(text)
            self.editor.blockSignals(False)
        self._problems = tuple(problems)
        self._fit()
        self._mark()

    def _on_edit(self) -> None:
        self.edited.emit(self.editor.toPlainText())

    def _fit(self) -> None:
        lines = min(max(self.editor.document().blockCount(), _LINES[0]), _LINES[1])
        room = 2 * round(self.editor.document().documentMargin()) + 2 * self.editor.frameWidth()
        self.editor.setFixedHeight(lines * self.editor.fontMetrics().lineSpacing() + room)

    def _mark(self) -> None:
        marks = []
        for problem in self._problems:
            block = self.editor.document().findBlockByNumber(problem.line)
            if not block.isValid():
                continue
            cursor = QTextCursor(block)
            at = min(max(problem.column - 1, 0), max(block.length() - 2, 0))
            cursor.setPosition(block.position() + at)
            cursor.movePosition(
                QTextCursor.MoveOperation.EndOfWord, QTextCursor.MoveMode.KeepAnchor
            )
            if not cursor.hasSelection():
                cursor.movePosition(
                    QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor
                )
            if not cursor.hasSelection():
                # What is missing at the end of a line is marked on the line itself.
                cursor.setPosition(block.position())
                cursor.movePosition(
                    QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor
                )
            look = QTextCharFormat()
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            look.setUnderlineColor(self._theme.color("bad"))
            look.setToolTip(problem.why)
            mark = QTextEdit.ExtraSelection()
            mark.cursor, mark.format = cursor, look
            marks.append(mark)
        self.editor.setExtraSelections(marks)
        several = self.editor.document().blockCount() > 1
        said = [
            f"{f'line {p.line + 1}, ' if several else ''}column {p.column}: {p.why}"
            for p in self._problems
        ]
        self._said.setText("\n".join(said))
        self._said.setVisible(bool(said))
        self.editor.setAccessibleDescription("; ".join(said))

    def changeEvent(self, event: QEvent) -> None:
        """Keep the height in lines where the font changes."""
        super().changeEvent(event)
        if event.type() == event.Type.FontChange and hasattr(self, "editor"):
            self._fit()
