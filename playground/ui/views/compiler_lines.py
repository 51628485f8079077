"""What each source line became, as a table: the twin of the editor's margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.instruction_mix import (
    MIX,
    address_excess,
    arithmetic_of,
    count_of,
    facts,
    ordered,
    tooltip,
)
from playground.ui.views.bar_cells import BarCells
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.mix_legend import MixLegend
from playground.ui.views.notice import EmptyState
from playground.ui.views.roles import set_role
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.machine_code import InstructionKind, LineCode, MachineCode
    from playground.ui.document import Document
    from playground.ui.theme import Theme

BAR_COLUMN = 2


@dataclass(frozen=True)
class LineRow:
    """One source line with its text, and the share of the longest line."""

    code: LineCode
    source: str
    share: float


def line_rows(code: MachineCode, source: str) -> tuple[LineRow, ...]:
    """Return a row for every line that became anything."""
    texts = source.split("\n")
    most = max((each.instructions for each in code.lines), default=0) or 1
    return tuple(
        LineRow(
            each,
            texts[each.line - 1].strip() if 0 < each.line <= len(texts) else "",
            each.instructions / most,
        )
        for each in code.lines
        if each.instructions or facts(each)
    )


def _mix(row: object) -> Iterator[tuple[float, str]]:
    """Yield a row's classes of instructions as pieces of its bar."""
    if isinstance(row, LineRow):
        total = max(row.code.instructions, 1)
        for each, count in ordered(row.code.counts):
            yield row.share * count / total, each.token


def _columns(code: MachineCode, theme: Theme) -> tuple[Column[LineRow], ...]:
    present = {kind for kind, count in code.total if count}
    arithmetic = arithmetic_of(code)
    columns: list[Column[LineRow]] = [
        Column("Line", lambda row: row.code.line, numeric=True,
               tip=lambda row: tooltip(row.code, theme, arithmetic)),
        Column("Instr.", lambda row: row.code.instructions, numeric=True,
               tip=lambda row: tooltip(row.code, theme, arithmetic)),
        Column("Mix", lambda row: row.code.instructions, lambda _row: "",
               tip=lambda row: tooltip(row.code, theme, arithmetic)),
        Column("Accesses, products, waits", lambda row: ", ".join(facts(row.code))),
        Column("Source", lambda row: row.source),
        Column("Over arithmetic", lambda row: address_excess(row.code, arithmetic),
               lambda row: f"+{over}" if (over := address_excess(row.code, arithmetic)) else "",
               numeric=True,
               tip=lambda _row: "Integer instructions beyond all arithmetic of the kernel"),
        Column("Spilled (B)", lambda row: row.code.spill_bytes,
               lambda row: str(row.code.spill_bytes or ""), numeric=True),
    ]  # fmt: skip
    for each in MIX:
        if each.kind in present:
            columns.append(_kind_column(each.kind, each.short))
    return tuple(columns)


def _kind_column(kind: InstructionKind, title: str) -> Column[LineRow]:
    return Column(
        title, lambda row: count_of(row.code, kind),
        lambda row: str(count_of(row.code, kind) or ""), numeric=True,
    )  # fmt: skip


class LinesPage(QWidget):
    """The table with its legend; a click marks the line in the editor, Enter goes there."""

    sourceLinesMarked = Signal(tuple)
    sourceLineRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compiler.linesPage")
        self._document, self._theme = document, theme
        self._code = document.compiler.code
        self._shown: MachineCode | None = None
        self._legend = MixLegend(theme, self)
        self._note = ElidedLabel("compiler.lines.note", self)
        set_role(self._note, "muted")
        self._copy = QPushButton("Copy CSV", self)
        self._copy.setObjectName("compiler.lines.copy")
        self._copy.setAccessibleName("Copy the code by line as CSV")
        self._copy.clicked.connect(self._on_copy)
        self._model: RecordModel[LineRow] = RecordModel((), self)
        self._table = RecordTable("compiler.lines", "Code by source line", self._model, self)
        self._table.setItemDelegateForColumn(BAR_COLUMN, BarCells(self._table, theme, _mix))
        self._table.clicked.connect(self._on_click)
        self._table.recordPicked.connect(self._on_pick)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._note, 1)
        row.addWidget(self._copy)
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._legend)
        layout.addWidget(self._table, 1)
        layout.addLayout(row)
        self._empty = EmptyState("compiler.lines.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)
        self._code.changed.connect(self._show)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show()

    def _show(self) -> None:
        code = self._code.code
        if code is None or not code.lines:
            self._stack.setCurrentIndex(0)
            if self._document.failed_to_compile:
                self._empty.say(
                    "There is no code", "This config does not compile: see the findings."
                )
            elif self._code.problem:
                self._empty.say("No code by line", self._code.problem)
            elif code is not None:
                self._empty.say(
                    "No line of this file is behind the code",
                    " ".join(code.notes) or "The kernel may be compiled without line tables.",
                )
            else:
                self._empty.say("Reading the machine's code …", "It is split by source line.")
            return
        self._stack.setCurrentIndex(1)
        self._legend.show_counts(code.total)
        if code is not self._shown:
            self._shown = code
            header = self._table.horizontalHeader()
            sort = header.sortIndicatorSection(), header.sortIndicatorOrder()
            self._model.set_columns(_columns(code, self._theme))
            self._model.set_records(line_rows(code, self._document.work.ran_text))
            self._fit()
            if sort[0] < len(self._model.columns):
                self._table.sortByColumn(*sort)
        total = sum(count for _, count in code.total)
        said = [f"{total} instructions"]
        if code.elsewhere:
            said.append(f"{code.elsewhere} of no line of this file")
        if not self._code.is_current():
            failed = self._document.failed_to_compile
            new = "what is shown now does not compile" if failed else "the next is on its way …"
            said.append(f"of {code.config.label()} for {code.target}, {new}")
        said += code.notes
        self._note.setText("; ".join(said))

    def _fit(self) -> None:
        self._table.fit_columns()
        height = self.fontMetrics().height()
        header = self._table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self._table.setColumnWidth(BAR_COLUMN, 6 * height)
        for column in (3, 4):
            self._table.setColumnWidth(column, min(self._table.columnWidth(column), 13 * height))

    def _recolour(self) -> None:
        self._copy.setIcon(icon("copy", self._theme))
        self._table.viewport().update()

    def showSourceLine(self, line: int) -> None:
        """Select the row of a source line."""
        for at, row in enumerate(self._model.records):
            if row.code.line == line:
                self._table.select_record(at)
                return
        self._table.select_record(-1)

    def _on_click(self, index: QModelIndex) -> None:
        row = self._table.record_at(index.row())
        if isinstance(row, LineRow):
            self.sourceLinesMarked.emit((row.code.line,))

    def _on_pick(self, row: object) -> None:
        if isinstance(row, LineRow):
            self.sourceLineRequested.emit(row.code.line)

    def _on_copy(self) -> None:
        from PySide6.QtGui import QGuiApplication

        QGuiApplication.clipboard().setText(self._model.as_csv())

    def showEvent(self, event: object) -> None:
        """Ask for the code while the page is looked at."""
        self._code.want("lines", True)

    def hideEvent(self, event: object) -> None:
        """Ask for nothing while nobody looks."""
        self._code.want("lines", False)
