"""Two compilations side by side: the choice of both, what moved, and each stage's texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.views.compilation_chooser import CompilationChooser
from playground.ui.views.compilations_diff import DiffPair
from playground.ui.views.compiler_stages import STAGE_TITLES, fill_stage_bar, show_tab, stage_bar
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import bytes_text, change_text, significant
from playground.ui.views.icon_tools import IconTools
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.roles import set_role
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from playground.model.compilations import Change
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_FIGURES = "figures"


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit in ("B", "bytes"):
        return bytes_text(round(value))
    if unit == "instructions":
        unit = ""
    text = f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e6 else significant(value)
    return f"{text} {unit}".rstrip()


def moved(change: Change) -> str:
    """Return how a figure changed, from left to right."""
    if change.left is None or change.right is None or change.left == change.right:
        return "" if change.left == change.right else "only on one side"
    if not change.left:
        return f"+{_figure(change.right, change.unit)}"
    return change_text(change.right, change.left)


def _delta(change: Change) -> float | None:
    if change.left is None or change.right is None:
        return None
    return change.right - change.left


CHANGE_COLUMNS: tuple[Column[Change], ...] = (
    Column("What", lambda row: row.name[:1].upper() + row.name[1:]),
    Column("Left", lambda row: row.left, lambda row: _figure(row.left, row.unit), numeric=True),
    Column("Right", lambda row: row.right, lambda row: _figure(row.right, row.unit), numeric=True),
    Column("Change", _delta, moved, numeric=True),
    Column("Line", lambda row: row.line or None, lambda row: str(row.line or ""), numeric=True),
)


class CompilationsPage(QWidget):
    """Figures that moved in a table, and for each stage both texts aligned."""

    sourceLinesMarked = Signal(tuple)
    sourceLineRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compilations")
        self.setAccessibleName("Two compilations side by side")
        self._document, self._theme = document, theme
        self._state = document.compiler.compilations
        self._shown: object = None
        self._pair = DiffPair(theme, self)
        self._left = CompilationChooser("left", document, self)
        self._right = CompilationChooser("right", document, self)
        tools = IconTools(self, theme)
        self._swap = tools.make(
            "compilations.swap", "compare", "Put left to the right and right to the left"
        )
        self._swap.clicked.connect(self._state.swap)
        choice = QGridLayout()
        choice.setContentsMargins(4, 4, 4, 0)
        choice.setVerticalSpacing(3)
        for row, (text, chooser) in enumerate((("Left", self._left), ("Right", self._right))):
            label = QLabel(text, self)
            label.setBuddy(chooser.what)
            choice.addWidget(label, row, 0)
            choice.addWidget(chooser, row, 1)
        choice.addWidget(self._swap, 0, 2, 2, 1)
        choice.setColumnStretch(1, 1)
        self._notice = Notice("compilations.notice", theme, "warn", "warning", self)
        self._tabs = stage_bar("compilations.tabs", self)
        self._tabs.currentChanged.connect(self._show)
        self._note = ElidedLabel("compilations.note", self)
        set_role(self._note, "muted")
        self._only = tools.make(
            "compilations.only", "dash", "Show only what changed and a little around it"
        )
        self._only.setCheckable(True)
        self._only.setChecked(True)
        self._only.toggled.connect(self._show)
        self._previous = tools.make("compilations.previous", "prev", "Previous change ([)")
        self._next = tools.make("compilations.next", "next", "Next change (])")
        for button, step in ((self._previous, -1), (self._next, 1)):
            button.clicked.connect(lambda _=False, step=step: self._pair.step(step))
        bar = QHBoxLayout()
        bar.setContentsMargins(0, 0, 4, 0)
        bar.setSpacing(2)
        for widget in (self._tabs, self._note, self._only, self._previous, self._next):
            bar.addWidget(widget, 1 if widget is self._note else 0)
        self._model: RecordModel[Change] = RecordModel(CHANGE_COLUMNS, self)
        self._model.emphasis = self._emphasis
        self._table = RecordTable("compilations.table", "What moved", self._model, self)
        self._table.clicked.connect(self._on_click)
        self._table.recordPicked.connect(self._on_pick)
        self._empty = EmptyState("compilations.empty", "", "", theme, self)
        self._stack = QStackedWidget(self)
        for page in (self._empty, self._table, self._pair):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(choice)
        layout.addWidget(self._notice)
        layout.addLayout(bar)
        layout.addWidget(self._stack, 1)
        self._state.changed.connect(self._show)
        self._show()

    # ------------------------------------------------------------------------------ showing

    @property
    def stage(self) -> str:
        """What is looked at: `figures` or a stage."""
        return str(self._tabs.tabData(self._tabs.currentIndex()) or _FIGURES)

    def show_stage(self, stage: str) -> None:
        """Bring the figures or a stage to the front."""
        show_tab(self._tabs, stage)

    def _show(self, _what: object = None) -> None:
        compared = self._state.compared
        reports = (compared.left_report, compared.right_report) if compared else ()
        common = [report.stages for report in reports if report is not None]
        stages = tuple(
            stage for stage in (common[0] if common else ()) if all(stage in s for s in common)
        )
        fill_stage_bar(self._tabs, stages, (_FIGURES, "Figures"))
        findings = compared.findings if compared is not None else ()
        self._notice.say("\n".join(finding.message for finding in findings))
        diffing = self.stage != _FIGURES and compared is not None
        for widget in (self._only, self._previous, self._next):
            widget.setVisible(diffing)
        self._note.setText(" comparing …" if self._state.running and compared else "")
        if compared is None:
            self._say()
        elif diffing:
            self._show_stage()
        else:
            if compared is not self._shown:
                self._shown = compared
                self._model.set_records(compared.changes)
                self._table.fit_columns()
                self._table.horizontalHeader().setStretchLastSection(False)
            if compared.changes:
                self._stack.setCurrentWidget(self._table)
            else:
                self._empty.say("Nothing moved", "Both compile to the same figures.")
                self._stack.setCurrentWidget(self._empty)

    def _say(self) -> None:
        if self._state.problem:
            self._empty.say("Nothing to compare yet", self._state.problem)
        elif self._state.running:
            self._empty.say("Compiling both …", "What moved between them is listed here.")
        else:
            self._empty.say("Nothing to compare yet", "Press F5 to run; then choose both sides.")
        self._stack.setCurrentWidget(self._empty)

    def _show_stage(self) -> None:
        stage = self.stage
        diff = self._state.diffs.get(stage)
        if diff is None:
            title = STAGE_TITLES.get(stage, stage.upper())
            if self._state.stage_problem and not self._state.fetching:
                self._empty.say(f"No {title} to compare", self._state.stage_problem)
            else:
                self._empty.say(f"Aligning {title} …", "Both texts are fetched.")
            self._stack.setCurrentWidget(self._empty)
            if self.isVisible() and not self._state.stage_problem:
                self._state.request_stage(stage)
            return
        self._pair.show_diff(diff, only_changes=self._only.isChecked())
        self._stack.setCurrentWidget(self._pair)
        count = self._pair.changes
        said = f"{count} change{'' if count == 1 else 's'}" if count else "the same on both sides"
        self._note.setText(f" {said}")
        self._previous.setEnabled(bool(count))
        self._next.setEnabled(bool(count))

    def _emphasis(self, change: Change) -> QColor | None:
        if change.left == change.right:
            return None
        return self._theme.color("diff_changed")

    # ------------------------------------------------------------------------------ acting

    def _on_click(self, index: QModelIndex) -> None:
        line = getattr(self._table.record_at(index.row()), "line", 0)
        if line:
            self.sourceLinesMarked.emit((line,))

    def _on_pick(self, row: object) -> None:
        line = getattr(row, "line", 0)
        if line:
            self.sourceLineRequested.emit(line)

    def showEvent(self, event: object) -> None:
        """Compile both while the page is looked at."""
        self._state.want(True)
        self._show()

    def hideEvent(self, event: object) -> None:
        """Compile nothing while nobody looks."""
        self._state.want(False)
