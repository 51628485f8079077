"""What the compiler made of the current config: a line of figures, a tab for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.views.compilations import CompilationsPage
from playground.ui.views.compiler_lines import LinesPage
from playground.ui.views.compiler_resources import ResourcesPage
from playground.ui.views.compiler_stages import StagesPage
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.fits import FitsPage
from playground.ui.views.fitting_tabs import FittingTabs
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.passes import PassesPage
from playground.ui.views.resources import summary
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.model.compiling import CompileReport
    from playground.ui.document import Document
    from playground.ui.theme import Theme

TARGET_NAMES = {
    "cuda:75": "RTX 20, T4", "cuda:80": "A100", "cuda:86": "RTX 30", "cuda:89": "RTX 40, L4",
    "cuda:90": "H100, H200", "cuda:100": "B200", "cuda:120": "RTX 50", "hip:gfx90a": "MI200",
    "hip:gfx942": "MI300", "hip:gfx950": "MI355",
}  # fmt: skip

MOST_LINES = 5
"""Lines of what is wrong that stand above the tabs."""


class CompilerView(QWidget):
    """The tabs on top, the target and its figures, then the page; each fetches what it shows.

    Comparing has targets of its own on both sides, and the room of the one target.

    `sourceLinesMarked` carries source lines to mark in the editor, innermost first;
    `sourceLineRequested` asks the editor to go to one. `showSourceLine` marks what came from one.
    """

    sourceLinesMarked = Signal(tuple)
    sourceLineRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compiler")
        self.setAccessibleName("Compiler output")
        # Narrower than this the controls would be cut.
        self.setMinimumWidth(self.fontMetrics().height() * 20)
        self._document, self._theme = document, theme
        self._target = QComboBox(self)
        self._target.setObjectName("compiler.target")
        self._target.setAccessibleName("GPU architecture to compile for")
        self._target.setToolTip("GPU architecture to compile for, whether or not it is in here")
        self._target.activated.connect(self._choose_target)
        self._title = ElidedLabel("compiler.title", self)
        self._summary = ElidedLabel("compiler.summary", self)
        label = QLabel("Target", self)
        label.setBuddy(self._target)
        self._head = QWidget(self)
        head = QVBoxLayout(self._head)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(3)
        top = QHBoxLayout()
        top.addWidget(label)
        top.addWidget(self._target)
        top.addSpacing(self.fontMetrics().height() // 2)
        top.addWidget(self._title, 1)
        self._notice = Notice("compiler.notice", theme, "bad", "cross", self)
        head.addLayout(top)
        head.addWidget(self._summary)
        head.addWidget(self._notice)

        self.resources = ResourcesPage(document, theme, self)
        self.stages = StagesPage(document, theme, self)
        self.lines = LinesPage(document, theme, self)
        self.passes = PassesPage(document, theme, self)
        self.compilations = CompilationsPage(document, theme, self)
        self.fits = FitsPage(document, theme, self)
        self.tabs = FittingTabs("compiler.parts", "What the compiler made of it", self)
        self.parts = QStackedWidget(self)
        for page, title, tip in (
            (self.resources, "Resources", "Registers, spills, shared memory, occupancy, times"),
            (self.stages, "Stages", "The text of every stage, tied to the source line by line"),
            (self.lines, "By line", "What each source line became in the machine's code"),
            (self.passes, "Passes", "What each pass of the compiler changed"),
            (self.compilations, "Compare", "Two compilations side by side"),
            (self.fits, "Fits everywhere", "This config on every target at once"),
        ):
            self.parts.addWidget(page)
            self.tabs.add(title, tip)
        self.tabs.currentChanged.connect(self._show_part)
        for page in (self.stages, self.lines, self.compilations):
            page.sourceLinesMarked.connect(self._on_marked)
            page.sourceLineRequested.connect(self.sourceLineRequested)
        self.resources.sourceLineRequested.connect(self.sourceLineRequested)

        body = QWidget(self)
        layout = QVBoxLayout(body)
        layout.setSpacing(3)
        layout.addWidget(self.tabs)
        layout.addWidget(self._head)
        layout.addWidget(self.parts, 1)
        self._empty = EmptyState("compiler.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(body)

        document.deviceChanged.connect(self._show_targets)
        document.targetChanged.connect(self._show_targets)
        document.compiledChanged.connect(self._show)
        document.configChanged.connect(self._show_title)
        document.launchesChanged.connect(self._show)
        document.findingsChanged.connect(self._show)
        self._show_targets()
        self._show()

    # ------------------------------------------------------------------------------ target

    def _show_targets(self) -> None:
        blocker = QSignalBlocker(self._target)
        self._target.clear()
        device, target = self._document.device, self._document.target
        names = list(self._document.targets)
        if target and target not in names:
            names.insert(0, target)
        for name in names:
            known = TARGET_NAMES.get(name, "")
            here = device is not None and device.mode == "gpu" and device.target == name
            note = "this machine" if here else known
            self._target.addItem(f"{name} ({note})" if note else name, name)
        self._target.setCurrentIndex(self._target.findData(target))
        del blocker

    def _choose_target(self, index: int) -> None:
        self._document.set_target(str(self._target.itemData(index)))

    # ------------------------------------------------------------------------------ report

    def _show(self) -> None:
        document, report = self._document, self._document.compile_report
        failed = document.launch is not None and document.failed_to_compile
        self._stack.setCurrentIndex(1 if report is not None or failed else 0)
        if report is None and not failed:
            if document.launch is None:
                self._empty.say(
                    "Nothing compiled yet", "Press F5 to run; its launches are compiled."
                )
            else:
                self._empty.say("Compiling …", "The selected launch is on its way.")
        self._show_title()
        self._summary.setText(summary(report) if report is not None else "It does not compile.")
        self._summary.setAccessibleName(self._summary.text())
        set_role(self._summary, "" if report is not None and report.fits else "bad")
        self._notice.say(self._problem(report))

    def _show_title(self) -> None:
        document, report = self._document, self._document.compile_report
        if report is not None:
            stale = "" if document.is_current(report) else ", compiling again …"
            text = f"{report.kernel}: {report.config.label()}{stale}"
        elif (launch := document.launch) is not None:
            text = f"{launch.kernel}: {document.config.label()}"
        else:
            text = ""
        self._title.setText(text)
        self._title.setAccessibleName(text)

    def _problem(self, report: CompileReport | None) -> str:
        stages = ("compile", "resources")
        texts = [
            finding.message + (f"\n{finding.hint}" if finding.hint else "")
            for finding in self._document.findings
            if finding.stage in stages and finding.severity in ("error", "warning")
        ]
        if not texts and report is not None and not report.fits:
            texts = [" ".join(report.notes) or f"It cannot launch on {report.target}."]
        lines = "\n".join(texts).splitlines()
        if len(lines) > MOST_LINES:
            # A compiler's own log can be long; the tabs need the room, the findings have it all.
            lines = [*lines[: MOST_LINES - 1], "… the findings have all of it"]
        return "\n".join(lines)

    # ------------------------------------------------------------------------------ acting

    def show_part(self, page: QWidget) -> None:
        """Bring one of the tabs to the front, with the keyboard in it."""
        self.tabs.choose(self.parts.indexOf(page))
        page.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_part(self, index: int) -> None:
        self.parts.setCurrentIndex(index)
        self._head.setVisible(self.parts.currentWidget() is not self.compilations)

    def _on_marked(self, lines: tuple[int, ...]) -> None:
        self.showSourceLine(lines[0], scroll=self.sender() is not self.stages)
        self.sourceLinesMarked.emit(lines)

    def showSourceLine(self, line: int, *, scroll: bool = True) -> None:
        """Mark what came from source line `line` in the texts and the table."""
        self.stages.showSourceLine(line, scroll=scroll)
        self.lines.showSourceLine(line)
