"""The compiler's passes: which changed something, and what, as a diff."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from playground.ui.views.code_text import CodeText
from playground.ui.views.compiler_stages import STAGE_TITLES
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.notice import EmptyState
from playground.ui.views.roles import set_role
from playground.ui.views.roomy_splitter import RoomySplitter
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.compilations import Pass
    from playground.protocol.messages import Passes
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_TINTS = {"+": "diff_added", "-": "diff_removed"}


@dataclass(frozen=True)
class PassRow:
    """A pass with its number in the pipeline (from 1), and how many lines it added and removed."""

    number: int
    made: Pass
    added: int
    removed: int


def pass_rows(passes: tuple[Pass, ...]) -> tuple[PassRow, ...]:
    """Return the pipeline's rows."""
    return tuple(
        PassRow(number, made, *_counts(made.diff)) for number, made in enumerate(passes, 1)
    )


def _counts(diff: str) -> tuple[int, int]:
    lines = [line for line in diff.split("\n") if not line.startswith(("+++", "---"))]
    return (
        sum(line.startswith("+") for line in lines),
        sum(line.startswith("-") for line in lines),
    )


def diff_tints(diff: str) -> dict[int, str]:
    """Return the theme tokens of the grounds of a unified diff's lines."""
    tints = {}
    for at, line in enumerate(diff.split("\n")):
        if line.startswith(("@@", "+++", "---", "\\")):
            tints[at] = "diff_filler"
        elif line[:1] in _TINTS:
            tints[at] = _TINTS[line[0]]
    return tints


_COLUMNS: tuple[Column[PassRow], ...] = (
    Column("#", lambda row: row.number, numeric=True),
    Column("Changed", lambda row: row.added + row.removed,
           lambda row: f"+{row.added} −{row.removed}" if row.made.changed else "", numeric=True),
    Column("Pass", lambda row: row.made.name, tip=lambda row: row.made.name),
    Column("Lines", lambda row: row.made.lines, numeric=True),
    Column("Stage", lambda row: STAGE_TITLES.get(row.made.stage, row.made.stage)),
)  # fmt: skip


class PassesPage(QWidget):
    """The list of passes, those that changed something emphasised, and the diff of one."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compiler.passesPage")
        self._document, self._theme = document, theme
        self._passes = document.compiler.passes
        self._shown: Passes | None = None
        self._chosen = ""
        self._only = QCheckBox("Only changes", self)
        self._only.setObjectName("compiler.passes.only")
        self._only.setAccessibleName("Only passes that changed something")
        self._only.setToolTip("Leave out passes after which the text is as before")
        self._only.setChecked(True)
        self._only.toggled.connect(lambda _on: self._fill())
        self._llvm = QCheckBox("LLVM's too", self)
        self._llvm.setObjectName("compiler.passes.llvm")
        self._llvm.setAccessibleName("Record LLVM's own passes as well")
        self._llvm.setToolTip("Record LLVM's own passes as well; that takes several times as long")
        self._llvm.toggled.connect(self._passes.set_llvm)
        self._note = ElidedLabel("compiler.passes.note", self)
        set_role(self._note, "muted")
        self._model: RecordModel[PassRow] = RecordModel(_COLUMNS, self)
        self._model.emphasis = self._emphasis
        self._table = RecordTable("compiler.passes", "Compiler passes", self._model, self)
        self._table.selectionModel().currentRowChanged.connect(self._on_row)
        self._text = CodeText("compiler.passes.diff", "ttgir", theme, self)
        self._text.setAccessibleName("What the pass changed")
        self._table.setMinimumHeight(self.fontMetrics().height() * 4)
        self._text.setMinimumHeight(self.fontMetrics().height() * 4)
        row = QHBoxLayout()
        row.setContentsMargins(4, 2, 4, 2)
        row.setSpacing(self.fontMetrics().height() // 2)
        row.addWidget(self._only)
        row.addWidget(self._llvm)
        row.addWidget(self._note, 1)
        splitter = RoomySplitter(self)
        splitter.setObjectName("compiler.passes.splitter")
        splitter.addWidget(self._table)
        splitter.addWidget(self._text)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 3)
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(splitter, 1)
        self._empty = EmptyState("compiler.passes.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)
        self._passes.changed.connect(self._show)
        theme.changed.connect(self._table.viewport().update)
        self._show()

    def _show(self) -> None:
        recorded = self._passes.recorded
        if recorded is None or (self._passes.problem and not self._passes.running):
            self._stack.setCurrentIndex(0)
            if self._passes.problem and not self._passes.running:
                self._empty.say("The passes could not be recorded", self._passes.problem)
            else:
                self._empty.say(
                    "Recording the passes …",
                    "The kernel is compiled once more, with its text taken after every pass.",
                )
            return
        if not recorded.passes:
            self._stack.setCurrentIndex(0)
            self._empty.say(
                "No pass has run", "Compiling ended before the first of them: see the findings."
            )
            return
        self._stack.setCurrentIndex(1)
        if recorded is not self._shown:
            self._shown = recorded
            self._fill()
        changed = sum(made.changed for made in recorded.passes)
        said = f"{changed} of {len(recorded.passes)} changed the text"
        if self._passes.running:
            said += "; recording the config shown now …"
        elif not self._passes.is_current():
            said += f"; of {recorded.config.label()} for {recorded.target}"
        failed = next((made.name for made in recorded.passes if made.failed), "")
        if failed:
            said += f"; the compilation ended in {failed}"
        self._note.setText(f"  {said}")

    def _fill(self) -> None:
        recorded = self._shown
        if recorded is None:
            return
        rows = pass_rows(recorded.passes)
        if self._only.isChecked():
            rows = tuple(row for row in rows if row.made.changed or row.made.failed)
        chosen = self._chosen
        self._model.set_records(rows)
        self._table.fit_columns()
        at = next((at for at, row in enumerate(rows) if row.made.name == chosen), 0)
        if rows:
            self._table.select_record(at)
            self._show_diff(rows[at])
        else:
            self._text.show_text("No pass changed the text.")

    def _emphasis(self, row: PassRow) -> QColor | None:
        if row.made.failed:
            return self._theme.color("bad_fill")
        if not row.made.changed or self._only.isChecked():
            return None
        ground = QColor(self._theme.color("accent"))
        ground.setAlphaF(0.13)
        return ground

    def _on_row(self, *_indices: object) -> None:
        index = self._table.currentIndex()
        if index.isValid():
            row = self._table.record_at(index.row())
            if isinstance(row, PassRow):
                self._chosen = row.made.name
                self._show_diff(row)

    def _show_diff(self, row: PassRow) -> None:
        diff = row.made.diff
        if not diff:
            ended = "the compilation ended in it" if row.made.failed else "left the text as it was"
            self._text.show_text(f"{row.made.name}: {ended}.")
            return
        tints = diff_tints(diff)
        self._text.show_text(diff, tints=tints)
        self._text.set_ruled(
            {at: "good" if token == "diff_added" else "bad" for at, token in tints.items()
             if token != "diff_filler"}
        )  # fmt: skip

    def showEvent(self, event: object) -> None:
        """Record while the page is looked at."""
        self._passes.want(True)

    def hideEvent(self, event: object) -> None:
        """Record nothing while nobody looks."""
        self._passes.want(False)
