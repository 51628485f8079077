"""What the warps of a profiled launch wait for: ranked bars, each reason in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from playground.model.stall_reasons import Stall
from playground.ui.views.bar_cells import BarCells
from playground.ui.views.roles import set_role
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.nsight import NsightReport
    from playground.ui.theme import Theme

_BAR = 1
_COLUMNS: tuple[Column[Stall], ...] = (
    Column("Why warps wait", lambda stall: stall.title, tip=lambda stall: stall.meaning),
    Column("Share", lambda stall: stall.share, lambda stall: f"{stall.share:.1%}", numeric=True,
           tip=lambda stall: f"{stall.share:.1%} of the cycles between two instructions of a warp"),
    Column("Cycles", lambda stall: stall.cycles, lambda stall: f"{stall.cycles:.2f}", numeric=True,
           tip=lambda _stall: "Cycles that a warp waits so between two of its instructions"),
    Column("NVIDIA's name", lambda stall: stall.reason, tip=lambda stall: stall.meaning),
)  # fmt: skip


def _share(stall: object) -> tuple[tuple[float, str], ...]:
    return ((min(stall.share, 1.0), "accent"),) if isinstance(stall, Stall) else ()


class StallsPanel(QWidget):
    """A sentence on how much waiting matters, the reasons, and what to do about the chosen one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nsight.stalls")
        self.setAccessibleName("What warps wait for")
        self._model: RecordModel[Stall] = RecordModel(_COLUMNS, self)
        self._summary = QLabel(self)
        self._summary.setObjectName("nsight.stallSummary")
        self._summary.setWordWrap(True)
        self._table = RecordTable("nsight.stallTable", "What warps wait for", self._model, self)
        self._table.setItemDelegateForColumn(_BAR, BarCells(self._table, theme, _share, "100.0%"))
        self._table.selectionModel().currentRowChanged.connect(self._explain)
        self._remedy = QLabel(self)
        self._remedy.setObjectName("nsight.stallRemedy")
        self._remedy.setWordWrap(True)
        self._remedy.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._remedy.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        set_role(self._remedy, "muted")
        layout = QVBoxLayout(self)
        layout.addWidget(self._summary)
        layout.addWidget(self._table, 1)
        layout.addWidget(self._remedy)
        layout.addStretch()

    def show_report(self, report: NsightReport) -> None:
        """Show the reasons of `report`, the longest chosen."""
        self._summary.setText(report.stall_text())
        self._model.set_records(report.stalls)
        self._table.fit_columns()
        self._table.setColumnWidth(_BAR, 10 * self.fontMetrics().height())
        bar = self._table.horizontalScrollBar().sizeHint().height()
        self._table.setMaximumHeight(self._table.content_height() + bar)
        self._table.select_record(0 if report.stalls else -1)
        self._explain()

    def _explain(self, *_rows: object) -> None:
        index = self._table.currentIndex()
        stall = self._table.record_at(index.row()) if index.isValid() else None
        text = f"{stall.meaning}\nWhat to do: {stall.remedy}" if isinstance(stall, Stall) else ""
        self._remedy.setText(text)
