"""The ranking of a sweep: rows with a filter by text, by condition and by status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playground.model.constraints import ConstraintError
from playground.model.sweep_filter import FIGURES, row_filter
from playground.ui.theme import mono_font
from playground.ui.views.marks import mark_icon
from playground.ui.views.roles import set_role
from playground.ui.views.sweep_columns import STATUS, sweep_columns
from playground.ui.views.sweep_scene import Scene
from playground.ui.views.table_twin import RecordModel, RecordTable

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QColor

    from playground.model.sweep import SweepRow, SweepStatus
    from playground.ui.theme import Theme


class SweepRanking(QWidget):
    """The table with its filter; `rowPicked` carries the row that was chosen."""

    rowPicked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweep.ranking")
        self._theme = theme
        self._scene = Scene()
        self._timed = True
        self._titles: tuple[object, ...] = ()
        self._hidden: set[SweepStatus] = set()
        self._choices: dict[SweepStatus, QAction] = {}
        self.filter = QLineEdit(self)
        self.filter.setObjectName("sweep.filter")
        self.filter.setAccessibleName("Filter: words, or a condition")
        self.filter.setPlaceholderText("Filter: words, or num_warps == 8 and ms < 0.2")
        self.filter.setToolTip(
            "Words to look for in config, status and reason, or a condition over the knobs and "
            + ", ".join(FIGURES)
        )
        self.filter.setFont(mono_font())
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(lambda _text: self._show_rows())
        self._problem = QLabel(self)
        self._problem.setObjectName("sweep.filterProblem")
        self._problem.setWordWrap(True)
        set_role(self._problem, "bad")
        self.statuses = QToolButton(self)
        self.statuses.setObjectName("sweep.statuses")
        self.statuses.setAccessibleName("Which outcomes to show")
        self.statuses.setToolTip("Which outcomes to show")
        self.statuses.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self.statuses)
        self._menu.setObjectName("sweep.statusMenu")
        self.statuses.setMenu(self._menu)
        self.model: RecordModel[SweepRow] = RecordModel((), self)
        self.model.emphasis = self._emphasis
        self.table = RecordTable("sweep.table", "Configs tried by the sweep", self.model, self)
        self.table.recordPicked.connect(self.rowPicked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 4)
        line = QHBoxLayout()
        line.addWidget(self.filter, 1)
        line.addWidget(self.statuses)
        layout.addLayout(line)
        layout.addWidget(self._problem)
        layout.addWidget(self.table, 1)
        theme.changed.connect(self._recolour)

    def _recolour(self) -> None:
        for status, choice in self._choices.items():
            _, mark, tone = STATUS[status]
            choice.setIcon(mark_icon(mark, self._theme.color(tone)))
        self._titles = ()
        self._show_rows()

    def show_scene(self, scene: Scene, *, timed: bool) -> None:
        """Show another state of the sweep."""
        self._scene, self._timed = scene, timed
        self._show_statuses()
        self._show_rows()

    def _show_statuses(self) -> None:
        counts: dict[SweepStatus, int] = {}
        for row in self._scene.rows:
            counts[row.status] = counts.get(row.status, 0) + 1
        for status, (name, mark, tone) in STATUS.items():
            choice = self._choices.get(status)
            if choice is None and status in counts:
                choice = self._menu.addAction(name)
                choice.setObjectName(f"sweep.status:{status}")
                choice.setIcon(mark_icon(mark, self._theme.color(tone)))
                choice.setCheckable(True)
                choice.setChecked(True)
                choice.toggled.connect(lambda on, status=status: self._on_status(status, on))
                self._choices[status] = choice
            if choice is not None:
                choice.setText(f"{name} ({counts.get(status, 0)})")
                choice.setVisible(status in counts)
        self.statuses.setEnabled(len(counts) > 1)

    def _on_status(self, status: SweepStatus, on: bool) -> None:
        (self._hidden.discard if on else self._hidden.add)(status)
        self._show_rows()

    def _show_rows(self) -> None:
        scene = self._scene
        titles = (*scene.knobs, self._timed, self._theme.name)
        knobs = tuple(scene.rows[0].config) if scene.rows else ()
        problem = ""
        try:
            holds = row_filter(self.filter.text(), knobs)
        except ConstraintError as error:
            problem = str(error)
            holds = row_filter("", knobs)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self.filter.setProperty("invalid", "true" if problem else "false")
        self.filter.style().unpolish(self.filter)
        self.filter.style().polish(self.filter)
        self.filter.setAccessibleDescription(problem)
        rows = [row for row in scene.rows if row.status not in self._hidden and holds(row)]
        columns = sweep_columns(tuple(scene.knobs), self._theme, scene, timed=self._timed)
        fresh = titles != self._titles
        # The columns know who is best, so they come anew; widths only where there are others.
        self.model.columns = columns
        if fresh:
            self._titles = titles
            self.model.set_columns(columns)
            # The fastest first, until the user sorts by something else.
            by = next((i for i, each in enumerate(columns) if each.title == "Median"), -1)
            self.table.sortByColumn(by, Qt.SortOrder.AscendingOrder)
        before = self.model.rowCount()
        if len(rows) == before and all(
            one is other for one, other in zip(rows, self.model.records, strict=True)
        ):
            self.table.viewport().update()  # who is best, or where the sliders stand, may be new
        else:
            self.model.set_records(rows)
        everything = len(rows) == len(scene.rows)
        self.statuses.setText(f"All {len(rows)}" if everything else (
            f"{len(rows)} of {len(scene.rows)}"))  # fmt: skip
        self.statuses.setAccessibleName(f"Which outcomes to show: {self.statuses.text()}")
        if fresh or before < 40:
            self.table.fit_columns()

    def _emphasis(self, row: SweepRow) -> QColor | None:
        scene = self._scene
        is_best = scene.best is not None and row.config == scene.best.config
        if not is_best and row.config not in scene.tied:
            if scene.is_current(row.config):
                ground = self._theme.color("plot_2")
                ground.setAlphaF(0.16)
                return ground
            return None
        ground = self._theme.color("good")
        ground.setAlphaF(0.26 if is_best else 0.12)
        return ground
