"""The stages' texts: one at a time, with one line to search, fold and step through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from playground.ui.views.elided import ElidedLabel
from playground.ui.views.icon_tools import IconTools
from playground.ui.views.ir_text import IrText
from playground.ui.views.notice import EmptyState
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.theme import Theme

STAGE_TITLES = {
    "ttir": "TTIR", "ttgir": "TTGIR", "llir": "LLVM IR", "ptx": "PTX", "sass": "SASS",
    "amdgcn": "AMDGCN",
}  # fmt: skip


def stage_bar(name: str, parent: QWidget) -> QTabBar:
    """Return an empty row of tabs for stages, as narrow as it can be."""
    bar = QTabBar(parent)
    bar.setObjectName(name)
    bar.setAccessibleName("Stages")
    bar.setDrawBase(False)
    bar.setExpanding(False)
    bar.setProperty("compact", "true")
    return bar


def fill_stage_bar(
    bar: QTabBar, stages: tuple[str, ...], first: tuple[str, str] = ("", "")
) -> None:
    """Give the row these stages, the one looked at kept where it is still there."""
    wanted = ((first[0],) if first[1] else ()) + stages
    if tuple(bar.tabData(at) for at in range(bar.count())) == wanted:
        return
    current = bar.tabData(bar.currentIndex())
    blocker = QSignalBlocker(bar)
    while bar.count():
        bar.removeTab(0)
    for stage in wanted:
        at = bar.addTab(first[1] if stage == first[0] else STAGE_TITLES.get(stage, stage.upper()))
        bar.setTabData(at, stage)
    if current in wanted:
        bar.setCurrentIndex(wanted.index(current))
    del blocker
    if current not in wanted:
        bar.currentChanged.emit(bar.currentIndex())


def show_tab(bar: QTabBar, stage: str) -> None:
    """Bring a stage to the front, where the row has it."""
    for at in range(bar.count()):
        if bar.tabData(at) == stage:
            bar.setCurrentIndex(at)


class StagesPage(QWidget):
    """Fetches the text of the stage looked at; `showSourceLine` marks what came from a line."""

    sourceLinesMarked = Signal(tuple)
    sourceLineRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compiler.stagesPage")
        self._document, self._theme = document, theme
        self._stages = document.compiler.stages
        self._texts: dict[str, IrText] = {}
        self._shown: dict[str, object] = {}
        self._source_line = 0
        self.tabs = stage_bar("compiler.tabs", self)
        self._find = QLineEdit(self)
        self._find.setObjectName("compiler.find")
        self._find.setAccessibleName("Find in the stage")
        self._find.setPlaceholderText("Find (Ctrl+F)")
        self._find.setClearButtonEnabled(True)
        self._find.setMinimumWidth(self.fontMetrics().averageCharWidth() * 13)
        self._find.textChanged.connect(self._on_find)
        self._find.returnPressed.connect(lambda: self._go(1))
        self._note = ElidedLabel("compiler.note", self)
        set_role(self._note, "muted")
        tools = IconTools(self, theme)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 2, 0)
        row.setSpacing(2)
        row.addWidget(self.tabs)
        row.addWidget(self._find, 2)
        for name, picture, tip, step in (
            ("findPrevious", "prev", "Previous match; with nothing to find, the previous line that "
             "came from the source line marked ([ in the text)", -1),
            ("findNext", "next", "Next match; with nothing to find, the next line that came from "
             "the source line marked (] in the text)", 1),
        ):  # fmt: skip
            button = tools.make(f"compiler.{name}", picture, tip)
            button.clicked.connect(lambda _=False, step=step: self._go(step))
            row.addWidget(button)
        self._fold = tools.make("compiler.fold", "dash", "Fold everything, or open all of it")
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self._on_fold)
        row.addWidget(self._fold)
        self._stack = QStackedWidget(self)
        self._empty = EmptyState("compiler.stage.empty", "", "", theme, self)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self._note)
        layout.addWidget(self._stack, 1)
        shortcut = QShortcut(QKeySequence.StandardKey.Find, self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self._focus_find)
        self.tabs.currentChanged.connect(self._look)
        self._stages.changed.connect(self._show)
        document.targetChanged.connect(self._show)
        self._show()

    # ------------------------------------------------------------------------------ showing

    @property
    def stage(self) -> str:
        """The stage looked at."""
        return str(self.tabs.tabData(self.tabs.currentIndex()) or "")

    def text(self, stage: str) -> IrText:
        """Return the widget of a stage's text."""
        if stage not in self._texts:
            text = IrText(stage, self._theme, self)
            text.sourceLinesMarked.connect(self._on_marked)
            text.sourceLineRequested.connect(self.sourceLineRequested)
            text.foldsChanged.connect(self._show_note)
            self._texts[stage] = text
            self._stack.addWidget(text)
        return self._texts[stage]

    def show_stage(self, stage: str) -> None:
        """Bring a stage to the front, where the target has it."""
        show_tab(self.tabs, stage)

    def showSourceLine(self, line: int, *, scroll: bool = True) -> None:
        """Mark what came from source line `line` in the stage looked at."""
        self._source_line = line
        if (text := self._texts.get(self.stage)) is not None:
            text.show_source_line(line, scroll=scroll)
        self._show_note()

    def _look(self, _index: int = 0) -> None:
        self._stages.look_at(self.stage if self.isVisible() else "")
        self._show()

    def _show(self, _what: object = None) -> None:
        fill_stage_bar(self.tabs, self._stages.stages())
        if not self.isVisible():
            return
        stage = self.stage
        reply, problem = self._stages.text(stage), self._stages.problems.get(stage, "")
        title = STAGE_TITLES.get(stage, stage.upper())
        if problem and not self._stages.is_current(stage):
            self._empty.say(f"{title} was not reached", problem)
        elif reply is None:
            self._empty.say(f"Fetching {title} …", "It is compiled first where it must be.")
        else:
            text = self.text(stage)
            if self._shown.get(stage) is not reply:
                self._shown[stage] = reply
                text.show_ir(reply.text, reply.lines)
                self._set_fold_button(on=False)
            if text.source_line != self._source_line:
                text.show_source_line(self._source_line)
            if self._stack.currentWidget() is not text:
                self._stack.setCurrentWidget(text)
            self._show_note()
            return
        self._stack.setCurrentWidget(self._empty)
        self._show_note()

    def showEvent(self, event: object) -> None:
        """Fetch what changed while the page was hidden."""
        self._look()

    def hideEvent(self, event: object) -> None:
        """Ask for nothing more while nobody looks."""
        self._stages.look_at("")

    @property
    def note(self) -> str:
        """What is said of the text looked at."""
        return self._note.text()

    def matches(self) -> int:
        """Return how often the text searched for occurs in the stage looked at."""
        wanted, reply = self._find.text().lower(), self._stages.text(self.stage)
        return reply.text.lower().count(wanted) if wanted and reply is not None else 0

    def _show_note(self) -> None:
        text = self._texts.get(self.stage)
        reply = self._stages.text(self.stage)
        if text is None or reply is None or self._stack.currentWidget() is not text:
            self._note.setText("")
            return
        lines, marked, source = reply.text.count("\n"), len(text.marks), text.source_line
        if self._find.text():
            count = self.matches()
            said = f"“{self._find.text()}” is in it {count} times" if count else "not found"
        elif source and marked:
            said = f"{marked} of {lines} lines came from line {source} of the source"
        elif source:
            said = f"{lines} lines, none of them from line {source} of the source"
        else:
            said = f"{lines} lines; click one to mark its source, or a source line to mark these"
        if not self._stages.is_current(self.stage):
            said += "; of the compilation before, the next is on its way …"
        self._note.setText(f" {said}")

    # ------------------------------------------------------------------------------ acting

    def _on_marked(self, lines: tuple[int, ...]) -> None:
        self._source_line = lines[0]
        self._show_note()
        self.sourceLinesMarked.emit(lines)

    def _focus_find(self) -> None:
        self._find.setFocus()
        self._find.selectAll()

    def _on_find(self, wanted: str) -> None:
        text = self._texts.get(self.stage)
        if wanted and text is not None:
            text.find_text(wanted, again=False)
        self._show_note()

    def _go(self, step: int) -> None:
        text = self._texts.get(self.stage)
        if text is None:
            return
        if self._find.text():
            text.find_text(self._find.text(), backward=step < 0)
        else:
            text.step_mark(step)

    def _on_fold(self, on: bool) -> None:
        if (text := self._texts.get(self.stage)) is not None:
            text.fold_all(on)

    def _set_fold_button(self, *, on: bool) -> None:
        blocker = QSignalBlocker(self._fold)
        self._fold.setChecked(on)
        del blocker
