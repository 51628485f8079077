"""Past sweeps: opened again, gone on with, or put beside another."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QPushButton, QVBoxLayout, QWidget

from playground.ui.views.chips import FlowLayout
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import time_text
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.past_sweep import PastSweep
    from playground.ui.document import Document
    from playground.ui.theme import Theme


def when_text(seconds: float) -> str:
    """Return a time since 1970 as people write it here."""
    return datetime.datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def state_text(sweep: PastSweep, *, under_way: bool = False) -> str:
    """Return how a sweep ended; one whose process was killed was cut short.

    While one is under way here, nothing tells the two apart.
    """
    if sweep.state == "running":
        return "not ended" if under_way else "cut short"
    return sweep.state


def past_columns(*, under_way: bool = False) -> tuple[Column[PastSweep], ...]:
    """Return the columns of the list."""
    return (
        Column("No.", lambda item: item.number, numeric=True),
        Column("Begun", lambda item: item.started, lambda item: when_text(item.started)),
        Column("Sweep", lambda item: item.title, tip=lambda item: item.file),
        Column("State", lambda item: state_text(item, under_way=under_way)),
        Column("Configs", lambda item: item.rows, numeric=True),
        Column(
            "Best", lambda item: item.best_ms,
            lambda item: "" if item.best_ms is None else time_text(item.best_ms, 4), numeric=True,
        ),
        Column("Where", lambda item: item.machine(), tip=lambda item: (
            f"driver {item.driver}, CUDA {item.cuda}, torch {item.torch}")),
    )  # fmt: skip


class SweepPastView(QWidget):
    """The list with its verbs; `compareAsked` and `openAsked` tell the panel where to look."""

    opened = Signal()
    compared = Signal()

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.past")
        self._document, self._sweep, self._past = document, document.sweep, document.sweep.past
        self.model: RecordModel[PastSweep] = RecordModel(past_columns(), self)
        self.table = RecordTable("sweep.pastTable", "Past sweeps", self.model, self)
        self.table.recordPicked.connect(self._open)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_verbs())
        self._open_button = self._button("open", "Open", "Show this sweep in all views")
        self._open_button.clicked.connect(lambda: self._open(self._chosen()))
        self._go_on = self._button("continue", "Continue", "Try what this sweep has left")
        self._go_on.clicked.connect(self._continue)
        self._compare = self._button("compare", "Compare", "")
        self._compare.clicked.connect(self._on_compare)
        self._own = QCheckBox("This kernel only", self)
        self._own.setObjectName("sweep.past.own")
        self._own.setChecked(True)
        self._own.toggled.connect(lambda _on: self.show_list())
        self._said = ElidedLabel("sweep.past.said", self)
        verbs = QWidget(self)
        flow = FlowLayout(verbs)
        for widget in (self._open_button, self._go_on, self._compare, self._own):
            flow.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 4)
        layout.addWidget(verbs)
        layout.addWidget(self._said)
        layout.addWidget(self.table, 1)
        self._past.listChanged.connect(self.show_list)
        self._sweep.changed.connect(self._show_verbs)
        document.launchesChanged.connect(self.show_list)
        self.show_list()

    def _button(self, name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(f"sweep.past.{name}")
        button.setToolTip(tip)
        button.setAccessibleName(f"{text}: {tip}")
        return button

    def show_list(self) -> None:
        """Show the sweeps that the store holds."""
        past = self._past
        own = past.of_this()
        self.model.columns = past_columns(under_way=self._sweep.running)
        shown = own if self._own.isChecked() and self._document.launch is not None else past.sweeps
        if shown != self.model.records:
            chosen = self._chosen()
            self.model.set_records(shown)
            self.table.fit_columns()
            numbers = [sweep.number for sweep in shown]
            if chosen is not None and chosen.number in numbers:
                self.table.select_record(numbers.index(chosen.number))
        said = past.problem or past.note
        if not said and not shown:
            said = "No sweep is kept yet" if not past.sweeps else "No sweep of this kernel is kept"
        self._said.setText(said)
        self._said.setVisible(bool(said))
        self._show_verbs()

    def _chosen(self) -> PastSweep | None:
        index = self.table.currentIndex()
        if not index.isValid() or not self.table.selectionModel().hasSelection():
            return None
        return cast("PastSweep", self.table.record_at(index.row()))

    def _other(self, chosen: PastSweep) -> PastSweep | None:
        """Return what a sweep would be put beside: what is shown, else the newest other one."""
        shown = self._sweep.stored()
        other = self._past.named(shown[self._sweep.shown]) if len(shown) > self._sweep.shown else (
            None)  # fmt: skip
        if other is None or other.number == chosen.number:
            other = next((s for s in self.model.records if s.number != chosen.number), None)
        return other

    def _show_verbs(self) -> None:
        chosen = self._chosen()
        idle = not self._sweep.running
        self._open_button.setEnabled(chosen is not None and idle)
        ready = self._document.engine_state == "ready"
        self._go_on.setEnabled(chosen is not None and chosen.is_unfinished and idle and ready)
        other = self._other(chosen) if chosen is not None else None
        self._compare.setEnabled(other is not None)
        tip = f"Side by side with sweep {other.number}" if other is not None else (
            "Side by side with another sweep: choose one")  # fmt: skip
        self._compare.setText(f"Compare with {other.number}" if other is not None else "Compare")
        self._compare.setToolTip(tip)
        self._compare.setAccessibleName(tip)

    def _open(self, sweep: PastSweep | None) -> None:
        if sweep is not None and not self._sweep.running:
            self._past.open(sweep.number)
            self.opened.emit()

    def _continue(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._past.go_on(chosen.number)

    def _on_compare(self) -> None:
        chosen = self._chosen()
        other = self._other(chosen) if chosen is not None else None
        if chosen is not None and other is not None:
            first, second = sorted((chosen, other), key=lambda sweep: sweep.started)
            self._past.compare(first.number, second.number)
            self.compared.emit()
