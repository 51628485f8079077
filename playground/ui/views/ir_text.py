"""One compiler stage's text: searchable, folding, and tied line by line to the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from playground.ui.icons import icon
from playground.ui.views.code_text import CodeText
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.ir_fold import regions
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.ui.theme import Theme

Lines = tuple[tuple[int, ...], ...]
"""By text line, the source lines behind it, innermost first."""


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


class IrPage(QWidget):
    """A stage's text with its search line, and the steps through what a source line became."""

    def __init__(self, stage: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"compiler.page.{stage}")
        self._theme = theme
        self.text = IrText(stage, theme, self)
        self._whole = ""
        self._find = QLineEdit(self)
        self._find.setObjectName(f"compiler.find.{stage}")
        self._find.setAccessibleName(f"Find in {stage}")
        self._find.setPlaceholderText("Find (Ctrl+F)")
        self._find.setClearButtonEnabled(True)
        self._find.setMinimumWidth(self.fontMetrics().averageCharWidth() * 14)
        self._find.textChanged.connect(self._on_text)
        self._find.returnPressed.connect(lambda: self._go(backward=False))
        self._note = ElidedLabel(f"compiler.note.{stage}", self)
        set_role(self._note, "muted")
        row = QHBoxLayout()
        row.setContentsMargins(4, 2, 0, 2)
        row.addWidget(self._find, 2)
        self._buttons: list[tuple[QToolButton, str]] = []
        self._fold = self._button("fold", "dash", f"Fold or unfold all of {stage}")
        self._fold.setCheckable(True)
        for name, picture, tip in (
            ("findPrevious", "prev", "Previous match, or with nothing to find the previous marked "
             "line ([ in the text)"),
            ("findNext", "next", "Next match, or with nothing to find the next marked line "
             "(] in the text)"),
        ):  # fmt: skip
            button = self._button(name, picture, tip)
            button.clicked.connect(
                lambda _=False, back=name == "findPrevious": self._go(backward=back)
            )
            row.addWidget(button)
        row.addWidget(self._fold)
        row.addWidget(self._note, 3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.text, 1)
        shortcut = QShortcut(QKeySequence.StandardKey.Find, self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self._focus_find)
        self._fold.toggled.connect(self.text.fold_all)
        self.text.foldsChanged.connect(self._show_note)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _button(self, name: str, picture: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(f"compiler.{name}.{self.text.objectName().rpartition('.')[2]}")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        self._buttons.append((button, picture))
        return button

    def show_ir(self, text: str, lines: Lines) -> None:
        """Show a stage's text."""
        self._whole = text
        blocker = QSignalBlocker(self._fold)
        self._fold.setChecked(False)
        del blocker
        self.text.show_ir(text, lines)
        if self._find.text():
            self._on_text(self._find.text())
        else:
            self._show_note()

    def show_source_line(self, line: int, *, scroll: bool = True) -> None:
        """Mark what came from source line `line`."""
        self.text.show_source_line(line, scroll=scroll)
        self._show_note()

    @property
    def note(self) -> str:
        """What stands beside the search line."""
        return self._note.text()

    @property
    def matches(self) -> int:
        """How often the text searched for occurs."""
        wanted = self._find.text().lower()
        return self._whole.lower().count(wanted) if wanted else 0

    def _show_note(self) -> None:
        if self._find.text():
            count = self.matches
            self._note.setText(f"{count} found" if count else "not found")
            return
        lines = self._whole.count("\n")
        marked, source = len(self.text.marks), self.text.source_line
        if source and marked:
            text = f"{marked} of {lines} lines from line {source}"
        elif source:
            text = f"{lines} lines, none from line {source}"
        else:
            text = f"{lines} lines; click one to mark its source"
        self._note.setText(text)

    def _focus_find(self) -> None:
        self._find.setFocus()
        self._find.selectAll()

    def _on_text(self, text: str) -> None:
        if text:
            self.text.find_text(text, again=False)
        self._show_note()

    def _go(self, *, backward: bool) -> None:
        if self._find.text():
            self.text.find_text(self._find.text(), backward=backward)
        else:
            self.text.step_mark(-1 if backward else 1)

    def _recolour(self) -> None:
        for button, picture in self._buttons:
            button.setIcon(icon(picture, self._theme))
