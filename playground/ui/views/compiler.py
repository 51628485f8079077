"""What the compiler made of the current config: its resources, and every stage as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.views.formatting import bytes_text
from playground.ui.views.ir_text import IrPage
from playground.ui.views.meter import Meter
from playground.ui.views.newest import Newest
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.resources import RESOURCE_COLUMNS, Resource, resources
from playground.ui.views.stage_bar import StageBar
from playground.ui.views.table_twin import RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.compiling import CompileReport
    from playground.model.config import Config
    from playground.protocol.messages import Ir
    from playground.ui.document import Document
    from playground.ui.theme import Theme

TARGET_NAMES = {
    "cuda:80": "A100", "cuda:86": "RTX 30", "cuda:89": "RTX 40, L4", "cuda:90": "H100, H200",
    "cuda:100": "B200", "cuda:120": "RTX 50", "hip:gfx942": "MI300", "hip:gfx950": "MI355",
}  # fmt: skip
STAGE_TITLES = {
    "ttir": "TTIR", "ttgir": "TTGIR", "llir": "LLVM IR", "ptx": "PTX", "sass": "SASS",
    "amdgcn": "AMDGCN",
}  # fmt: skip


class CompilerView(QWidget):
    """Resources on top, the stages' texts below; a text is fetched when its tab is looked at.

    `sourceLineRequested` asks the editor for a line; `showSourceLine` marks what came from one.
    """

    sourceLineRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compiler")
        self.setAccessibleName("Compiler output")
        # Narrower than this the controls would be cut.
        self.setMinimumWidth(self.fontMetrics().height() * 20)
        self._document, self._theme = document, theme
        self._pages: dict[str, IrPage] = {}
        self._shown: dict[str, tuple[int, Config, str]] = {}
        self._source_line = 0
        self._sized = False
        self._texts = Newest(0, self)

        self._target = QComboBox(self)
        self._target.setObjectName("compiler.target")
        self._target.setAccessibleName("GPU architecture to compile for")
        self._target.setToolTip("GPU architecture to compile for, whether or not it is in here")
        self._target.activated.connect(self._choose_target)
        self._title = QLabel(self)
        self._title.setObjectName("compiler.title")
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label = QLabel("Target", self)
        label.setBuddy(self._target)
        top = QHBoxLayout()
        top.addWidget(label)
        top.addWidget(self._target)
        top.addSpacing(self.fontMetrics().height())
        top.addWidget(self._title, 1)

        self._notice = Notice("compiler.notice", theme, "bad", "cross", self)
        self._shared = Meter("compiler.shared", theme, self)
        self._stages = StageBar(theme, self)
        self._model: RecordModel[Resource] = RecordModel(RESOURCE_COLUMNS, self)
        self._table = RecordTable("compiler.resources", "Compiled resources", self._model, self)
        self._table.setSortingEnabled(False)
        self._table.horizontalHeader().setStretchLastSection(False)
        # The names give way, the figures never.
        self._table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        upper = QWidget(self)
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._notice)
        column.addWidget(self._shared)
        column.addWidget(self._stages)
        column.addWidget(self._table, 1)
        self._tabs = QTabWidget(self)
        self._tabs.setObjectName("compiler.tabs")
        self._tabs.setAccessibleName("Stages")
        self._tabs.setDocumentMode(True)
        self._tabs.currentChanged.connect(self._fetch)
        self._splitter = splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setObjectName("compiler.splitter")
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(upper)
        splitter.addWidget(self._tabs)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)

        self._body = page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.addLayout(top)
        layout.addWidget(splitter, 1)
        self._empty = EmptyState("compiler.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)

        document.deviceChanged.connect(self._show_targets)
        document.targetChanged.connect(self._show_targets)
        document.compiledChanged.connect(self._show_report)
        document.configChanged.connect(self._show_title)
        document.baselineChanged.connect(self._show_report)
        document.launchesChanged.connect(self._show_report)
        document.findingsChanged.connect(self._show_problem)
        self._show_targets()
        self._show_report()

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

    def _show_report(self) -> None:
        report = self._document.compile_report
        failed = report is None and self._document.launch is not None and self._problem()
        self._stack.setCurrentIndex(1 if report is not None or failed else 0)
        self._show_title()
        if report is None:
            self._say_what_to_do()
            self._model.set_records(())
            self._show_problem()
            return
        baseline = self._document.baseline_report
        if baseline is not None and baseline.config == report.config:
            baseline = None
        self._model.set_records(resources(report, baseline))
        for column in (2, 3):
            self._table.setColumnHidden(column, baseline is None)
        self._table.fit_columns()
        self._table.setMaximumHeight(self._table.content_height())
        self._stages.show_times(report.stage_times)
        self._stages.setVisible(bool(report.stage_times))
        self._show_shared(report, baseline)
        self._show_problem()
        if not self._sized and self.isVisible():
            # Once: all figures in view, the rest for the text; after that the user decides.
            self._sized = True
            self._layout_now()
            needed = self._table.content_height() + round(self.fontMetrics().height() * 4.2)
            self._splitter.setSizes([needed, max(self.height() - needed, needed)])
        self._show_tabs(report.stages)

    def _say_what_to_do(self) -> None:
        if self._document.launch is None:
            self._empty.say("Nothing compiled yet", "Press F5 to run; its launches are compiled.")
        else:
            self._empty.say("Compiling …", "The selected launch is on its way.")

    def _show_title(self) -> None:
        report = self._document.compile_report
        if report is None:
            self._title.setText("")
            return
        stale = "" if self._document.is_current(report) else ", compiling again …"
        text = f"{report.kernel}: {report.config.label()}{stale}"
        self._title.setToolTip(text)
        self._title.setAccessibleName(text)
        width = self._title.width()
        self._title.setText(
            self._title.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)
        )

    def resizeEvent(self, event: object) -> None:
        """Cut the title to its new width."""
        self._layout_now()
        self._show_title()

    def _layout_now(self) -> None:
        layout = self._body.layout()
        if layout is not None:
            layout.activate()

    def _problem(self) -> str:
        stages = ("compile", "resources")
        texts = [
            finding.message + (f"\n{finding.hint}" if finding.hint else "")
            for finding in self._document.findings
            if finding.stage in stages and finding.severity in ("error", "warning")
        ]
        return "\n".join(texts)

    def _show_problem(self) -> None:
        report = self._document.compile_report
        text = self._problem()
        if not text and report is not None and not report.fits:
            text = " ".join(report.notes) or f"It compiles but cannot launch on {report.target}."
        self._notice.say(text)

    def _show_shared(self, report: CompileReport, baseline: CompileReport | None) -> None:
        limit = report.shared_limit_bytes
        self._shared.setVisible(limit is not None)
        if not limit:
            return
        share = report.shared_bytes / limit
        text = f"Shared {bytes_text(report.shared_bytes)} of {bytes_text(limit)}"
        text += f" ({share * 100:.0f} %)" if share <= 1 else ", over the limit"
        ghost = baseline.shared_bytes / limit if baseline is not None else None
        self._shared.show_share(share, text, "bad" if share > 1 else "accent", ghost)

    # ------------------------------------------------------------------------------ stages

    def _show_tabs(self, stages: tuple[str, ...]) -> None:
        shown = tuple(self._tabs.tabBar().tabData(i) for i in range(self._tabs.count()))
        if shown != stages:
            blocker = QSignalBlocker(self._tabs)
            current = self._tabs.tabBar().tabData(self._tabs.currentIndex())
            self._tabs.clear()
            for stage in stages:
                index = self._tabs.addTab(self._page(stage), STAGE_TITLES.get(stage, stage.upper()))
                self._tabs.tabBar().setTabData(index, stage)
            if current in stages:
                self._tabs.setCurrentIndex(stages.index(current))
            del blocker
        self._fetch()

    def _page(self, stage: str) -> IrPage:
        if stage not in self._pages:
            page = IrPage(stage, self._theme, self)
            page.text.sourceLineRequested.connect(self.sourceLineRequested)
            self._pages[stage] = page
        return self._pages[stage]

    def _fetch(self) -> None:
        report = self._document.compile_report
        stage = self._tabs.tabBar().tabData(self._tabs.currentIndex())
        if report is None or not isinstance(stage, str):
            return
        # The text is of the config compiled, which while a knob moves is not the one shown.
        key = (report.launch, report.config, report.target)
        if self._shown.get(stage) == key or not self.isVisible():
            return

        def take(reply: Ir) -> None:
            self._shown[stage] = key
            self._pages[stage].show_ir(reply.text, reply.lines)
            if self._source_line:
                self._pages[stage].text.show_source_line(self._source_line)

        self._texts.ask(
            lambda answer: self._document.request_ir(stage, answer, config=report.config), take
        )

    def showEvent(self, event: object) -> None:
        """Fetch what changed while the view was hidden."""
        self._show_report()

    def showSourceLine(self, line: int) -> None:
        """Mark what came from source line `line` in the stage looked at."""
        self._source_line = line
        stage = self._tabs.tabBar().tabData(self._tabs.currentIndex())
        if isinstance(stage, str):
            self._pages[stage].text.show_source_line(line)
