"""Tables of what two pictures of a sweep show in figures of their own: knobs, and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from playground.ui.views.formatting import time_text
from playground.ui.views.sweep_scene import ratio_words, sizes_words, value_words
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.model.importance import Importance, KnobImportance, ValueReach
    from playground.model.sweep import SweepRow
    from playground.model.sweep_sizes import SizedSweep
    from playground.ui.views.sweep_sizes import Candidate


@dataclass(frozen=True)
class _Reached:
    knob: KnobImportance
    value: ValueReach


class SweepTwins(QStackedWidget):
    """The tables; `rowPicked` carries the row of a line that was chosen."""

    rowPicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.knobs: RecordModel[_Reached] = RecordModel(_KNOBS, self)
        self._knobs = RecordTable("sweep.knobsTable", "What each knob matters", self.knobs, self)
        self._knobs.recordPicked.connect(lambda item: self.rowPicked.emit(item.value.best))
        self.sizes: RecordModel[Candidate] = RecordModel((), self)
        self._sizes = RecordTable("sweep.sizesTable", "Configs over sizes", self.sizes, self)
        self._sizes.recordPicked.connect(self._pick_candidate)
        for table in (self._knobs, self._sizes):
            self.addWidget(table)

    def show_knobs(self, found: Importance) -> None:
        """Show what each knob matters, and what each of its values can reach."""
        self.knobs.set_records(
            [_Reached(knob, value) for knob in found.knobs for value in knob.values]
        )
        self._knobs.fit_columns()
        self.setCurrentWidget(self._knobs)

    def show_sizes(self, sweeps: Sequence[SizedSweep], candidates: Sequence[Candidate]) -> None:
        """Show what each size loses under each config."""
        self.sizes.set_columns(_size_columns(sweeps))
        self.sizes.set_records(candidates)
        self._sizes.fit_columns()
        self.setCurrentWidget(self._sizes)

    def as_csv(self) -> str:
        """Return the table shown as CSV."""
        return (self.knobs if self.currentWidget() is self._knobs else self.sizes).as_csv()

    def _pick_candidate(self, candidate: Candidate) -> None:
        row: SweepRow | None = next((row for row in candidate.rows if row is not None), None)
        if row is not None:
            self.rowPicked.emit(row)


_KNOBS: tuple[Column[_Reached], ...] = (
    Column("Knob", lambda item: item.knob.name),
    Column(
        "Share (ε²)", lambda item: item.knob.share,
        lambda item: "" if item.knob.share is None else f"{item.knob.share * 100:.1f} %",
        numeric=True,
    ),
    Column("Value", lambda item: value_words(item.value.value)),
    Column(
        "Best", lambda item: item.value.best.median_ms,
        lambda item: time_text(item.value.best.median_ms or 0.0, 4), numeric=True, unit="ms",
    ),
    Column(
        "Slower", lambda item: item.value.loss, lambda item: ratio_words(item.value.loss),
        numeric=True,
    ),
    Column("Configs", lambda item: item.value.configs, numeric=True),
    Column("Its best config", lambda item: item.value.best.config.label()),
)  # fmt: skip


def _size_columns(sweeps: Sequence[SizedSweep]) -> tuple[Column[Candidate], ...]:
    def loss(index: int) -> Column[Candidate]:
        def words(item: Candidate) -> str:
            found = item.losses[index] if index < len(item.losses) else None
            return "" if found is None else ratio_words(found)

        return Column(
            sizes_words(sweeps[index].sizes),
            lambda item: item.losses[index] if index < len(item.losses) else None, words,
            numeric=True,
        )  # fmt: skip

    return (
        Column("Config", lambda item: item.config.label()),
        Column(
            "Mean", lambda item: item.found.mean if item.found else None,
            lambda item: ratio_words(item.found.mean) if item.found else "", numeric=True,
        ),
        Column(
            "Worst", lambda item: item.found.worst[1] if item.found else None,
            lambda item: ratio_words(item.found.worst[1]) if item.found else "", numeric=True,
        ),
        *(loss(index) for index in range(len(sweeps))),
        Column("What it is", lambda item: ", ".join(item.titles)),
    )  # fmt: skip
