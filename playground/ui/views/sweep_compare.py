"""Two sweeps side by side: every config a point, before across and after upwards; or as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from playground.model.past_sweep import differences
from playground.model.sweep_compare import CHANGES, ConfigChange
from playground.ui.icons import icon
from playground.ui.views.elided import ElidedComboBox, ElidedLabel
from playground.ui.views.formatting import ratio_text, time_text
from playground.ui.views.notice import EmptyState
from playground.ui.views.roles import set_role
from playground.ui.views.sweep_columns import STATUS
from playground.ui.views.sweep_compare_plot import (
    ComparePlot,
    comparison_words,
    moved_knobs,
    sweep_words,
)
from playground.ui.views.sweep_scene import value_words
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.sweep import SweepRow
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.marks import Tone


class SweepCompareView(QWidget):
    """Which two, what differs between them, who won; then the plot or the table."""

    configPicked = Signal(object)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.compare")
        self._past, self._theme = document.sweep.past, theme
        self._before = self._combo("before", "The earlier sweep")
        self._after = self._combo("after", "The later sweep")
        self._swap = QToolButton(self)
        self._swap.setObjectName("sweep.compare.swap")
        self._swap.setToolTip("Exchange before and after")
        self._swap.setAccessibleName(self._swap.toolTip())
        self._swap.clicked.connect(self._on_swap)
        self._said = ElidedLabel("sweep.compare.said", self)
        self._winner = ElidedLabel("sweep.compare.winner", self)
        self._differs = ElidedLabel("sweep.compare.differs", self)
        set_role(self._differs, "muted")
        self.plot = ComparePlot(theme, self)
        self.plot.configPicked.connect(self.configPicked)
        self.model: RecordModel[ConfigChange] = RecordModel((), self)
        self.model.emphasis = self._emphasis
        self.table = RecordTable("sweep.compareTable", "Configs of two sweeps", self.model, self)
        self.table.recordPicked.connect(lambda item: self.configPicked.emit(item.config))
        self._blank = EmptyState(
            "sweep.compare.blank", "Two sweeps side by side",
            "Choose two above: before and after an edit, on two GPUs, or under two tritons.",
            theme, self,
        )  # fmt: skip
        self.pages = QStackedWidget(self)
        for page in (self._blank, self.plot, self.table):
            self.pages.addWidget(page)
        self._table_shown = False
        which = QHBoxLayout()
        which.addWidget(self._before, 1)
        which.addWidget(self._swap)
        which.addWidget(self._after, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 4)
        layout.addLayout(which)
        for part in (self._said, self._winner, self._differs):
            layout.addWidget(part)
        layout.addWidget(self.pages, 1)
        self._past.listChanged.connect(self._show_choice)
        self._past.comparisonChanged.connect(self.show_comparison)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show_choice()
        self.show_comparison()

    def _combo(self, part: str, title: str) -> ElidedComboBox:
        combo = ElidedComboBox(self)
        combo.setObjectName(f"sweep.compare.{part}")
        combo.setAccessibleName(title)
        combo.setToolTip(title)
        combo.setPlaceholderText(f"{title} …")
        combo.setMinimumContentsLength(16)
        combo.setSizeAdjustPolicy(
            ElidedComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        combo.activated.connect(self._on_choice)
        return combo

    def _recolour(self) -> None:
        self._swap.setIcon(icon("compare", self._theme))
        self.model.set_columns(self._columns())

    # ------------------------------------------------------------------------------ showing

    def _show_choice(self) -> None:
        past = self._past
        kernels = {one.kernel for one in (past.before, past.after) if one is not None}
        offered = [s for s in past.sweeps if s.kernel in kernels] if kernels else list(
            past.of_this() or past.sweeps)  # fmt: skip
        for combo, chosen in ((self._before, past.before), (self._after, past.after)):
            blocker = QSignalBlocker(combo)
            combo.clear()
            for sweep in offered:
                combo.addItem(sweep_words(sweep), sweep.number)
            combo.setCurrentIndex(combo.findData(chosen.number) if chosen is not None else -1)
            del blocker
        self._swap.setEnabled(past.comparison is not None)

    def show_comparison(self) -> None:
        """Show what was compared, or what can be chosen."""
        past = self._past
        self._show_choice()
        found = past.comparison
        both = found is not None and past.before is not None and past.after is not None
        for label in (self._said, self._winner, self._differs):
            label.setVisible(both)
        if found is None or past.before is None or past.after is None:
            self.pages.setCurrentWidget(self._blank)
            return
        counts, winner, order = comparison_words(found, past.before, past.after)
        self._said.setText(counts)
        self._winner.setText(winner)
        moved = differences(past.before, past.after)
        differs = "Differs: " + "; ".join(f"{name} {one} → {other}" for name, one, other in moved)
        same = "The same kernel, arguments, GPU and versions"
        self._differs.setText(" · ".join(filter(None, (differs if moved else same, order))))
        names = moved_knobs([item.config for item in found.changes])
        titles = (f"sweep {past.before.number}", f"sweep {past.after.number}")
        self.plot.show_comparison(found, names, titles)
        self.model.set_columns(self._columns())
        self.model.set_records(found.changes)
        self.table.fit_columns()
        self._show_page()

    def show_table(self, shown: bool) -> None:
        """Show the table twin, or the plot."""
        self._table_shown = shown
        self._show_page()

    def _show_page(self) -> None:
        found = self._past.comparison
        if found is None:
            self.pages.setCurrentWidget(self._blank)
        elif self._table_shown or not found.timed:
            self.pages.setCurrentWidget(self.table)
        else:
            self.pages.setCurrentWidget(self.plot)

    def _columns(self) -> tuple[Column[ConfigChange], ...]:
        found = self._past.comparison
        names = moved_knobs([item.config for item in found.changes]) if found is not None else ()

        def time(row: SweepRow | None) -> float | None:
            return row.median_ms if row is not None else None

        def words(row: SweepRow | None) -> str:
            if row is None:
                return "not tried"
            return STATUS[row.status][0] if row.median_ms is None else time_text(row.median_ms, 4)

        return (
            Column("Change", lambda item: CHANGES.index(item.change), lambda item: item.change),
            Column("Time", lambda item: item.ratio,
                   lambda item: "" if item.ratio is None else ratio_text(item.ratio),
                   numeric=True),
            Column("95 % intervals", lambda item: item.low, lambda item: (
                "" if item.low is None or item.high is None
                else f"{ratio_text(item.low)} to {ratio_text(item.high)}"), numeric=True),
            Column("Before", lambda item: time(item.before), lambda item: words(item.before),
                   numeric=True, tip=lambda item: item.before.reason if item.before else ""),
            Column("After", lambda item: time(item.after), lambda item: words(item.after),
                   numeric=True, tip=lambda item: item.after.reason if item.after else ""),
            *(_knob_column(name) for name in names),
        )  # fmt: skip

    def _emphasis(self, item: ConfigChange) -> Any:
        tone: Tone | None = "good" if item.change in ("faster", "mended") else (
            "bad" if item.change in ("slower", "broken") else None)  # fmt: skip
        if tone is None:
            return None
        ground = self._theme.color(tone)
        ground.setAlphaF(0.13)
        return ground

    # ------------------------------------------------------------------------------ acting

    def _on_choice(self, _index: int) -> None:
        before, after = self._before.currentData(), self._after.currentData()
        if before is not None and after is not None and before != after:
            self._past.compare(int(before), int(after))

    def _on_swap(self) -> None:
        past = self._past
        if past.before is not None and past.after is not None:
            past.compare(past.after.number, past.before.number)


def _knob_column(name: str) -> Column[ConfigChange]:
    return Column(name, lambda item: item.config.as_dict().get(name), lambda item: value_words(
        item.config.as_dict().get(name)), numeric=True)  # fmt: skip
