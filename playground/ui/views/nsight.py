"""Nsight Compute: its figures of exactly this launch beside the app's own, and its advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QTextOption
from PySide6.QtWidgets import (
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.theme import mono_font
from playground.ui.views.chips import FlowLayout
from playground.ui.views.fitting_tabs import FittingTabs
from playground.ui.views.formatting import method_text, time_text
from playground.ui.views.meter import Meter
from playground.ui.views.notice import Notice
from playground.ui.views.nsight_rows import NSIGHT_COLUMNS, NsightRow, duration_ms, nsight_rows
from playground.ui.views.nsight_stalls import StallsPanel
from playground.ui.views.roles import set_role
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.table_twin import RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.nsight import NsightReport
    from playground.ui.document import Document
    from playground.ui.theme import Theme

_INTRODUCTION = (
    "Runs NVIDIA's profiler on exactly the selected launch under the config shown, and puts its "
    "speed of light, memory table, occupancy and stalls beside this app's figures. It replays the "
    "launch many times with its caches flushed; it takes some seconds."
)
_WAITING, _ADVICE = 0, 2
_LINES_OF_PAGE = 16
"""Height of the stalls, with what to do about the worst, in lines of text."""


class NsightView(QWidget):
    """One button; then the speed of light, pages of stalls, figures and advice, or the command."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nsight")
        self.setAccessibleName("Nsight Compute")
        self._document, self._nsight, self._theme = document, document.nsight, theme
        self._start = QPushButton("Profile with Nsight Compute", self)
        self._start.setObjectName("nsight.start")
        self._start.setMinimumWidth(self._start.sizeHint().width() + self.fontMetrics().height())
        self._start.clicked.connect(self._on_start)
        self._copy = QPushButton("Copy command", self)
        self._copy.setObjectName("nsight.copyCommand")
        self._copy.setToolTip("Copy the command line that profiles this launch by hand")
        self._copy.setAccessibleName(self._copy.toolTip())
        self._copy.clicked.connect(self._copy_command)
        self._csv = QPushButton("Copy CSV", self)
        self._csv.setObjectName("nsight.copyTable")
        self._csv.setToolTip("Copy all figures as CSV")
        self._csv.setAccessibleName(self._csv.toolTip())
        self._csv.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._model.as_csv()))
        verbs = QWidget(self)
        flow = FlowLayout(verbs)
        for button in (self._start, self._copy, self._csv):
            flow.addWidget(button)
        self._notice = Notice("nsight.notice", theme, "warn", "info", self)
        self._detail = QLabel(self)
        self._detail.setObjectName("nsight.detail")
        self._detail.setWordWrap(True)
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(self._detail, "muted")
        self._compute = Meter("nsight.compute", theme, self)
        self._memory = Meter("nsight.memory", theme, self)
        self._command = self._text("nsight.command", "Command line for Nsight Compute")
        self._command.setFont(mono_font())
        self._command.setMinimumHeight(self.fontMetrics().height() * 7)
        self._advice = self._text("nsight.advice", "Advice of Nsight Compute")
        self._model: RecordModel[NsightRow] = RecordModel(NSIGHT_COLUMNS, self)
        self._model.emphasis = self._emphasis
        self._table = RecordTable("nsight.table", "Figures of Nsight Compute", self._model, self)
        self._stalls = StallsPanel(theme, self)
        self._tabs = FittingTabs("nsight.pages", "What Nsight Compute says", self)
        pages = QStackedWidget(self)
        for page, name, tip in (
            (self._stalls, "Waiting", "What warps wait for, longest first"),
            (self._table, "Figures", "Its figures, beside ours where there are any"),
            (self._advice, "Advice", "What its own rules say"),
        ):
            pages.addWidget(page)
            self._tabs.add(name, tip)
        self._tabs.currentChanged.connect(pages.setCurrentIndex)
        self._body = QWidget(self)
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        body.addWidget(self._tabs)
        body.addWidget(pages, 1)
        self._spare = QWidget(self)

        whole = QWidget(self)
        layout = QVBoxLayout(whole)
        layout.addWidget(verbs)
        layout.addWidget(self._notice)
        layout.addWidget(self._detail)
        layout.addWidget(self._compute)
        layout.addWidget(self._memory)
        layout.addWidget(self._command, 1)
        layout.addWidget(self._body, 3)
        layout.addWidget(self._spare, 3)
        self._body.setMinimumHeight(_LINES_OF_PAGE * self.fontMetrics().height())
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ScrollPage("nsight.page", whole, None, self))
        self._nsight.changed.connect(self._show)
        for changed in (
            document.configChanged, document.launchSelected, document.launchesChanged,
            document.dirtyChanged,
        ):  # fmt: skip
            changed.connect(self._show)
        theme.changed.connect(self._show)
        self._show()

    def _text(self, name: str, title: str) -> QPlainTextEdit:
        field = QPlainTextEdit(self)
        field.setObjectName(name)
        field.setAccessibleName(title)
        field.setReadOnly(True)
        field.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        field.setTabChangesFocus(True)
        field.setMinimumHeight(self.fontMetrics().height() * 3)
        return field

    # ------------------------------------------------------------------------------ showing

    def _show(self, _what: object = None) -> None:
        nsight, document = self._nsight, self._document
        running, report = nsight.running, nsight.report
        text = "Cancel" if running else "Profile with Nsight Compute"
        self._start.setText(text)
        self._start.setAccessibleName(text)
        self._start.setToolTip("Stop Nsight Compute" if running else f"{text} (Ctrl+F9)")
        self._start.setIcon(icon("cross" if running else "profile", self._theme))
        self._start.setEnabled(running or document.launch is not None)
        self._copy.setIcon(icon("copy", self._theme))
        self._csv.setIcon(icon("copy", self._theme))
        self._copy.setVisible(bool(nsight.command))
        self._csv.setVisible(report is not None)
        self._show_notice()
        self._detail.setText(self._detail_text())
        self._detail.setVisible(bool(self._detail.text()))
        self._command.setPlainText(nsight.command)
        self._command.setVisible(bool(nsight.command) and report is None and not running)
        self._body.setVisible(report is not None)
        self._spare.setVisible(report is None)
        for meter in (self._compute, self._memory):
            meter.setVisible(report is not None)
        if report is not None:
            self._show_report(report)

    def _show_notice(self) -> None:
        nsight = self._nsight
        why = nsight.why
        if why and nsight.command:
            why += ". The command below does the same where it is allowed."
        if not why and self._document.dirty and self._document.launch is not None:
            why = "Nsight Compute runs the file as it is saved: save it first."
        self._notice.say(why)

    def _detail_text(self) -> str:
        nsight = self._nsight
        if self._document.launch is None:
            return f"{_INTRODUCTION} Press F5 to run first."
        if nsight.running:
            return f"profiling {nsight.kernel} …"
        if nsight.report is None or nsight.config is None:
            return "" if nsight.command else _INTRODUCTION
        stale = "" if nsight.is_current() else "of another config than the one shown now: "
        parts = [f"{stale}{nsight.report.kernel} {nsight.config.label()}"]
        duration = duration_ms(nsight.report)
        if duration is not None:
            text = f"Nsight Compute {time_text(duration, 4)}"
            if nsight.measurement is not None:
                ours = nsight.measurement
                text += f", ours {time_text(ours.median_ms, 4)} ({method_text(ours)})"
            parts.append(text)
        return "\n".join(parts)

    def _show_report(self, report: NsightReport) -> None:
        for meter, name, word in (
            (self._compute, "Compute (SM) Throughput", "compute"),
            (self._memory, "Memory Throughput", "memory"),
        ):
            share = next(
                (m.number for m in report.metrics if m.name == name and m.unit == "%"), None
            )
            meter.setVisible(share is not None)
            if share is not None:
                text = f"{share:.1f} % of the speed of light of {word}"
                meter.show_share(share / 100, text)
        nsight, document = self._nsight, self._document
        launch = (
            document.launches[nsight.launch] if nsight.launch < len(document.launches) else None
        )
        if launch is not None and nsight.config != launch.config:
            launch = None  # its grid may be another one
        self._model.set_records(nsight_rows(report, nsight.measurement, nsight.compiled, launch))
        self._table.fit_columns()
        self._stalls.show_report(report)
        self._tabs.set_shown(_WAITING, bool(report.stalls))
        self._tabs.set_shown(_ADVICE, bool(report.advice))
        self._advice.setPlainText("\n\n".join(report.advice))

    def _emphasis(self, row: NsightRow) -> QColor | None:
        """Give figures that stand beside ours a ground of their own."""
        if not row.ours:
            return None
        ground = self._theme.color("accent")
        ground.setAlphaF(0.12)
        return ground

    # ------------------------------------------------------------------------------ acting

    def _on_start(self) -> None:
        if self._nsight.running:
            self._nsight.cancel()
        else:
            self._nsight.profile()

    def _copy_command(self) -> None:
        QGuiApplication.clipboard().setText(self._nsight.command)
