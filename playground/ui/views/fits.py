"""One config on many targets: what it takes of each, whether it fits, and what each GPU is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from playground.model.targets import TargetError, gpus, parse_target
from playground.ui.icons import icon
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import bytes_text, significant
from playground.ui.views.marks import mark_icon
from playground.ui.views.roles import set_role
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QIcon

    from playground.model.compilations import Fit
    from playground.model.targets import Gpu
    from playground.ui.document import Document
    from playground.ui.document_fits import DocumentFits
    from playground.ui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class FitRow:
    """A target: whether it is chosen, what came of it, and the GPUs that have it."""

    target: str
    chosen: bool
    pending: bool
    fit: Fit | None
    gpus: tuple[Gpu, ...]


def fit_rows(fits: DocumentFits) -> tuple[FitRow, ...]:
    """Return a row for every target there is."""
    chosen = set(fits.chosen())
    return tuple(
        FitRow(name, name in chosen, fits.is_pending(name), fits.fits.get(name), _gpus(name))
        for name in fits.targets()
    )


def _gpus(target: str) -> tuple[Gpu, ...]:
    try:
        wanted = parse_target(target).name
    except TargetError:
        return ()
    return tuple(gpu for gpu in gpus() if gpu.target == wanted)


def verdict(row: FitRow) -> str:
    """Return whether the config runs on a target, or why it does not."""
    if row.pending:
        return "compiling …"
    if row.fit is None:
        return "" if row.chosen else "left out"
    report = row.fit.report
    if report is not None and report.fits:
        return "fits"
    told = _reasons(row)
    if not told:
        return "does not compile" if report is None else "compiles, but cannot launch"
    # In a column of a table: what it is about, then the amounts. The tip has the whole sentence.
    reason = told[0].partition("\n")[0].rpartition("cannot launch: ")[2]
    for pattern, said in _SHORT:
        found = re.search(pattern, reason)
        if found is not None:
            return said(found)
    return reason


def _reasons(row: FitRow) -> list[str]:
    if row.fit is None:
        return []
    errors = [item.message for item in row.fit.findings if item.severity == "error"]
    others = [item.message for item in row.fit.findings if item.severity != "error"]
    return [*errors, *others, *(row.fit.report.notes if row.fit.report is not None else ())]


def _whole_verdict(row: FitRow) -> str:
    short = verdict(row)
    fits = row.fit is not None and row.fit.report is not None and row.fit.report.fits
    return short if fits or row.pending else "\n".join(_reasons(row)[:1]) or short


def _bytes_of(found: re.Match[str]) -> str:
    return f"shared memory: {bytes_text(int(found[1]))}, has {bytes_text(int(found[2]))}"


_SHORT: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"needs (\d+) bytes of shared memory, the limit is (\d+)", _bytes_of),
    (r"needs (\d+) threads a program, the limit is (\d+)",
     lambda found: f"threads: {found[1]}, has {found[2]}"),
    (r"take (\d+) registers .*can have (\d+)",
     lambda found: f"registers: {found[1]}, has {found[2]}"),
    (r"needs (\d+) columns of tensor memory, the limit is (\d+)",
     lambda found: f"tensor memory: {found[1]} columns, has {found[2]}"),
)  # fmt: skip


def _facts_tip(row: FitRow) -> str:
    if not row.gpus:
        return f"{row.target}: no data sheet of a GPU with it"
    return "\n\n".join(
        f"{gpu.name}: {gpu.multiprocessors} multiprocessors, "
        f"{bytes_text(gpu.shared_per_block_bytes)} shared a program and "
        f"{bytes_text(gpu.shared_per_sm_bytes)} a multiprocessor, {gpu.registers_per_sm} registers "
        f"a multiprocessor, L2 {bytes_text(gpu.l2_bytes)}, {significant(gpu.bandwidth_gbps)} GB/s, "
        + ", ".join(f"{kind} {significant(rate)}" for kind, rate in gpu.peak_tflops)
        + f" TFLOP/s\nsource: {gpu.source}"
        for gpu in row.gpus
    )


def _span(row: FitRow, values: list[str]) -> str:
    return " / ".join(dict.fromkeys(values)) if row.gpus else ""


def _report_number(row: FitRow, name: str) -> int | None:
    report = row.fit.report if row.fit is not None else None
    value = getattr(report, name, None) if report is not None else None
    return value if isinstance(value, int) else None


def _shared(row: FitRow) -> str:
    report = row.fit.report if row.fit is not None else None
    if report is None:
        return ""
    taken = report.shared_bytes + (report.static_shared_bytes or 0)
    limit = report.shared_limit_bytes
    return f"{bytes_text(taken)} of {bytes_text(limit)}" if limit else bytes_text(taken)


def _programs(row: FitRow) -> int | None:
    report = row.fit.report if row.fit is not None else None
    held = report.occupancy if report is not None else None
    return held.programs_per_sm if held is not None else None


def fit_columns(theme: Theme) -> tuple[Column[FitRow], ...]:
    """Return the columns: what came of it first, what the GPUs are behind."""
    good, bad = mark_icon("check", theme.color("good")), mark_icon("cross", theme.color("bad"))

    def mark(row: FitRow) -> QIcon | None:
        if row.fit is None or row.pending:
            return None
        return good if row.fit.report is not None and row.fit.report.fits else bad

    def number(title: str, name: str, tip: str = "") -> Column[FitRow]:
        return Column(
            title, lambda row: _report_number(row, name),
            lambda row: "" if (held := _report_number(row, name)) is None else str(held),
            numeric=True, tip=(lambda _row: tip) if tip else None,
        )  # fmt: skip

    return (
        Column("", lambda row: row.chosen, lambda _row: ""),
        Column("Target", lambda row: row.target, tip=_facts_tip),
        Column("Verdict", verdict, icon=mark, tip=_whole_verdict),
        number("Registers", "registers"),
        number("Spilled (B)", "spill_bytes"),
        Column("Shared", lambda row: _report_number(row, "shared_bytes"), _shared, numeric=True),
        Column("Programs a SM", _programs,
               lambda row: "" if _programs(row) is None else str(_programs(row)), numeric=True),
        Column("GPUs", lambda row: ", ".join(gpu.name for gpu in row.gpus), tip=_facts_tip),
        Column("SMs", lambda row: row.gpus[0].multiprocessors if row.gpus else None,
               lambda row: _span(row, [str(gpu.multiprocessors) for gpu in row.gpus]),
               numeric=True, tip=_facts_tip),
        Column("L2", lambda row: row.gpus[0].l2_bytes if row.gpus else None,
               lambda row: _span(row, [bytes_text(gpu.l2_bytes) for gpu in row.gpus]),
               numeric=True, tip=_facts_tip),
        Column("GB/s", lambda row: row.gpus[0].bandwidth_gbps if row.gpus else None,
               lambda row: _span(row, [significant(gpu.bandwidth_gbps) for gpu in row.gpus]),
               numeric=True, tip=_facts_tip),
        Column("Source of the facts", lambda row: _span(row, [gpu.source for gpu in row.gpus]),
               tip=_facts_tip),
    )  # fmt: skip


class FitModel(RecordModel[FitRow]):
    """Rows with a box to tick in their first column; `ticked` tells of a change by hand."""

    ticked = Signal(str, bool)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Let the first column be ticked."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the tick, or what any cell shows."""
        if index.column() == 0 and role == Qt.ItemDataRole.CheckStateRole:
            chosen = self.records[index.row()].chosen
            return Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked
        if index.column() == 0 and role == Qt.ItemDataRole.AccessibleTextRole:
            return f"compile for {self.records[index.row()].target}"
        return super().data(index, role)

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a tick."""
        if index.column() != 0 or role != Qt.ItemDataRole.CheckStateRole:
            return False
        row = self.records[index.row()]
        self.ticked.emit(row.target, not row.chosen)
        return True


class FitsPage(QWidget):
    """One button; then a row a target fills as each is through. A click shows that target."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compiler.fitsPage")
        self._document, self._theme = document, theme
        self._fits = document.compiler.fits
        self._start = QPushButton(self)
        self._start.setObjectName("compiler.fits.start")
        self._start.setProperty("primary", "true")
        self._start.clicked.connect(self._on_start)
        self._all = self._button("all", "All", "Choose every target", True)
        self._none = self._button("none", "None", "Choose no target", False)
        self._note = ElidedLabel("compiler.fits.note", self)
        set_role(self._note, "muted")
        self._model = FitModel(fit_columns(theme), self)
        self._model.emphasis = self._emphasis
        self._model.ticked.connect(lambda name, on: self._fits.choose((name,), on))
        self._table = RecordTable("compiler.fits", "The config on every target", self._model, self)
        self._table.clicked.connect(self._on_click)
        self._table.recordPicked.connect(self._on_pick)
        row = QHBoxLayout()
        row.setContentsMargins(4, 4, 4, 2)
        for widget in (self._start, self._all, self._none):
            row.addWidget(widget)
        row.addWidget(self._note, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self._table, 1)
        self._sized = False
        self._fits.changed.connect(self._show)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _button(self, name: str, text: str, tip: str, on: bool) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(f"compiler.fits.{name}")
        button.setAccessibleName(tip)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self._fits.choose(self._fits.targets(), on))
        return button

    def _show(self) -> None:
        fits = self._fits
        rows = fit_rows(fits)
        if rows != self._model.records:
            selected = self._table.currentIndex()
            self._model.set_records(rows)
            if not self._sized or fits.done[0] in (1, fits.done[1]):
                self._sized = True
                self._table.fit_columns()
                height = self.fontMetrics().height()
                self._table.setColumnWidth(0, round(height * 1.9))
                # Whole, as far as the panel is wide: the figures behind it can be scrolled to.
                before = self._table.columnWidth(0) + self._table.columnWidth(1)
                room = max(10 * height, self._table.viewport().width() - before)
                wanted = self._table.sizeHintForColumn(2) + height // 2
                self._table.setColumnWidth(2, min(max(wanted, 5 * height), room))
            if selected.isValid():
                self._table.selectRow(selected.row())
        chosen = len(fits.chosen())
        text = (
            "Stop" if fits.running else f"Compile for {chosen} target{'' if chosen == 1 else 's'}"
        )
        self._start.setText(text)
        self._start.setAccessibleName(text)
        self._start.setIcon(icon("cross" if fits.running else "fit", self._theme, "accent_text"))
        self._start.setEnabled(fits.running or (bool(chosen) and self._document.launch is not None))
        self._note.setText(f" {self._said()}")

    def _said(self) -> str:
        fits = self._fits
        if self._document.launch is None:
            return "press F5 to run the file first"
        if fits.running:
            return f"{fits.done[0]} of {fits.done[1]} are through"
        if fits.problem:
            return fits.problem
        if fits.config is None:
            return "compiles the config shown for all targets at once; click a row to show it"
        through = [fit for fit in fits.fits.values() if fit.report is not None and fit.report.fits]
        said = f"fits on {len(through)} of {len(fits.fits)}"
        return said if fits.is_current() else f"{said}, of {fits.config.label()}"

    def _emphasis(self, row: FitRow) -> QColor | None:
        if row.target != self._document.target:
            return None
        ground = QColor(self._theme.color("accent"))
        ground.setAlphaF(0.13)
        return ground

    def _recolour(self) -> None:
        self._model.set_columns(fit_columns(self._theme))
        self._sized = False
        self._model.set_records(())
        self._show()

    def _on_start(self) -> None:
        if self._fits.running:
            self._fits.cancel()
        else:
            self._fits.compile()

    def _on_click(self, index: QModelIndex) -> None:
        if index.column() > 0:
            self._on_pick(self._table.record_at(index.row()))

    def _on_pick(self, row: object) -> None:
        if isinstance(row, FitRow):
            self._document.set_target(row.target)
