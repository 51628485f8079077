"""What a launch takes of the GPU, how full that makes it, and what would make it fuller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLabel, QScrollArea, QVBoxLayout, QWidget

from playground.ui.views.formatting import bytes_text
from playground.ui.views.line_links import LineLink, LineLinks
from playground.ui.views.meter import Meter
from playground.ui.views.notice import EmptyState
from playground.ui.views.resources import RESOURCE_COLUMNS, Resource, resources
from playground.ui.views.roles import set_role
from playground.ui.views.stage_bar import StageBar
from playground.ui.views.table_twin import RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.compiling import CompileReport
    from playground.ui.document import Document
    from playground.ui.theme import Theme

MOST_LINES = 12
"""Lines with spills that are named; the table of code by line has them all."""


class ResourcesPage(QScrollArea):
    """Shared memory against its limit and what holds it, stage times, figures, spills, gains.

    `sourceLineRequested` carries a line that spills or holds shared memory.
    """

    sourceLineRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compiler.resourcesPage")
        self.setAccessibleName("Resources")
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._document, self._theme = document, theme
        self._code = document.compiler.code
        self._shared = Meter("compiler.shared", theme, self)
        self._stages = StageBar(theme, self)
        self._model: RecordModel[Resource] = RecordModel(RESOURCE_COLUMNS, self)
        self._table = RecordTable("compiler.resources", "Compiled resources", self._model, self)
        self._table.setSortingEnabled(False)
        self._table.horizontalHeader().setStretchLastSection(False)
        # The names give way, the figures never.
        self._table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._holders = LineLinks("compiler.holders", "compiler.holder", self)
        self._spills = LineLinks("compiler.spills", "compiler.spill", self)
        for links in (self._holders, self._spills):
            links.lineRequested.connect(self.sourceLineRequested)
        self._gains = QLabel(self)
        self._gains.setObjectName("compiler.gains")
        self._gains.setWordWrap(True)
        self._gains.setTextFormat(Qt.TextFormat.PlainText)
        self._gains.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._notes = QLabel(self)
        self._notes.setObjectName("compiler.notes")
        self._notes.setWordWrap(True)
        set_role(self._notes, "muted")
        self._empty = EmptyState("compiler.resources.empty", "", "", theme, self)
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 4, 4, 4)
        for widget in (
            self._shared, self._holders, self._stages, self._spills, self._gains, self._table,
            self._notes, self._empty,
        ):  # fmt: skip
            layout.addWidget(widget)
        layout.addStretch(1)
        self.setWidget(page)
        document.compiledChanged.connect(self._show)
        document.baselineChanged.connect(self._show)
        self._code.changed.connect(self._show_spills)
        self._show()

    def _show(self) -> None:
        report = self._document.compile_report
        for widget in (self._shared, self._stages, self._table, self._notes, self._gains):
            widget.setVisible(report is not None)
        self._empty.setVisible(report is None)
        if report is None:
            self._empty.say(
                "It does not compile",
                "The findings say why and where; the Stages tab has the texts of what was reached.",
            )
            self._spills.hide()
            self._holders.hide()
            return
        baseline = self._document.baseline_report
        if baseline is not None and (baseline.config, baseline.target) == (
            report.config, report.target,
        ):  # fmt: skip
            baseline = None
        self._model.set_records(resources(report, baseline))
        for column in (2, 3):
            self._table.setColumnHidden(column, baseline is None)
        self._table.fit_columns()
        self._table.setFixedHeight(self._table.content_height())
        self._stages.show_times(report.stage_times)
        self._stages.setVisible(bool(report.stage_times))
        self._show_shared(report, baseline)
        gains = [f"Nearest gain: {gain.text}." for gain in report.gains]
        self._gains.setText("\n".join(gains))
        self._gains.setVisible(bool(gains))
        self._notes.setText(" ".join(f"{note.rstrip('.')}." for note in report.notes))
        self._notes.setVisible(bool(report.notes))
        self._show_spills()

    def _show_shared(self, report: CompileReport, baseline: CompileReport | None) -> None:
        limit = report.shared_limit_bytes
        self._shared.setVisible(limit is not None)
        if not limit:
            return
        taken = report.shared_bytes + (report.static_shared_bytes or 0)
        share = taken / limit
        text = f"Shared {bytes_text(taken)} of {bytes_text(limit)}"
        text += f" ({share * 100:.0f} %)" if share <= 1 else ", over the limit"
        ghost = None
        if baseline is not None:
            ghost = (baseline.shared_bytes + (baseline.static_shared_bytes or 0)) / limit
        self._shared.show_share(share, text, "bad" if share > 1 else "accent", ghost)

        self._holders.say("held by" if report.shared_buffers else "", "muted", [
            LineLink(
                each.line, f"{each.name or 'a block'}, line {each.line}: {bytes_text(each.bytes)}",
                each.text(), f"Go to line {each.line}, which holds {bytes_text(each.bytes)}",
            )
            for each in report.shared_buffers[:MOST_LINES] if each.line
        ])  # fmt: skip

    # ------------------------------------------------------------------------------ spills

    def _show_spills(self) -> None:
        report, code = self._document.compile_report, self._code.code
        spills = report is not None and bool(report.spill_bytes)
        # The code by line places them; nobody else may be asking for it.
        self._code.want("resources", spills and self.isVisible())
        if not spills or report is None:
            self._spills.say("", "bad", ())
            return
        known = code is not None and (code.config, code.target) == (report.config, report.target)
        lines = [each for each in code.lines if each.spill_bytes] if known and code else []
        lines.sort(key=lambda each: -each.spill_bytes)
        self._spills.say(f"{bytes_text(report.spill_bytes or 0)} a thread spilled", "bad", [
            LineLink(
                each.line, f"line {each.line}: {each.spill_bytes} B",
                f"{each.spill_bytes} bytes a thread are stored to local memory or loaded back "
                "there",
                f"Go to line {each.line}, which spills {each.spill_bytes} bytes",
            )
            for each in lines[:MOST_LINES]
        ])  # fmt: skip

    def showEvent(self, event: object) -> None:
        """Ask for the code by line while the page is looked at: it places the spills."""
        self._show_spills()

    def hideEvent(self, event: object) -> None:
        """Ask for nothing while nobody looks."""
        self._code.want("resources", False)
