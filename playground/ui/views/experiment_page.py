"""One experiment: its claim, the verdicts, the figures as a picture or a table, and the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from playground.model.experiments import verdict
from playground.ui.views.curves_legend import Legend
from playground.ui.views.experiment_bars import ExperimentBars, bars_of
from playground.ui.views.experiment_lines import ExperimentLines
from playground.ui.views.experiment_rows import LOOKS, Row, figure_columns, place_text
from playground.ui.views.notice import Notice
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.roles import set_role
from playground.ui.views.table_twin import RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.model.experiment import ExperimentResult
    from playground.ui.document_experiments import DocumentExperiments
    from playground.ui.theme import Theme


class ExperimentPage(QScrollArea):
    """Follows the experiment selected; scrolls where the panel is low."""

    def __init__(
        self, experiments: DocumentExperiments, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("experiments.page")
        self.setAccessibleName("The experiment chosen")
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._experiments = experiments
        page = QWidget(self)
        self._claim = self._label("experiments.claim", "heading", page)
        self._here = Notice("experiments.here", theme, parent=page)
        self._came = Notice("experiments.came", theme, parent=page)
        self._missing = self._label("experiments.missing", "muted", page)
        self._beside = self._label("experiments.beside", "muted", page)
        self.bars = ExperimentBars(theme, page)
        self.lines = ExperimentLines(theme, page)
        self.lines.setMinimumHeight(self.fontMetrics().height() * 11)
        self._legend = Legend(theme, page)
        self._model: RecordModel[Row] = RecordModel((), self)
        self.table = RecordTable("experiments.figures", "Figures", self._model, page)
        self._picture = QWidget(page)
        drawn = QVBoxLayout(self._picture)
        drawn.setContentsMargins(0, 0, 0, 0)
        for widget in (self._legend, self.lines, self.bars):
            drawn.addWidget(widget)
        self.actions_row = PlotActions(
            "experiments", theme, self._picture, self._model.as_csv, "experiment", page
        )
        self.actions_row.tableToggled.connect(self.show_selected)
        self._how = self._label("experiments.how", "muted", page)
        top = QHBoxLayout()
        top.addWidget(self._beside, 1)
        top.addWidget(self.actions_row, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(page)
        layout.addWidget(self._claim)
        layout.addWidget(self._here)
        layout.addWidget(self._came)
        layout.addWidget(self._missing)
        layout.addLayout(top)
        layout.addWidget(self._picture)
        layout.addWidget(self.table)
        layout.addWidget(self._how)
        layout.addStretch(1)
        self.setWidget(page)

    def _label(self, name: str, role: str, parent: QWidget) -> QLabel:
        label = QLabel(parent)
        label.setObjectName(name)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        set_role(label, "heading" if role == "heading" else "muted")
        return label

    def show_selected(self, _table: object = None) -> None:
        """Show the experiment that is selected now."""
        experiment = self._experiments.selected
        own, shipped = (
            source(experiment.name) for source in (self._experiments.own, self._experiments.shipped)
        )
        self._claim.setText(experiment.claim)
        self._say(self._here, own)
        self._say(self._came, shipped)
        result = own or shipped
        self._missing.setText("" if result else "Not measured yet on any machine known here.")
        self._missing.setVisible(result is None)
        other = shipped if own is not None else None
        self._how.setText(f"{experiment.how}\n{experiment.judged}")
        self._beside.setText(self._beside_text(result, other))
        self.actions_row.setVisible(result is not None)
        shown = result is not None
        as_table = shown and self.actions_row.shows_table
        self.table.setVisible(as_table)
        self._picture.setVisible(shown and not as_table)
        if result is not None:
            self._show_figures(result, other)

    def _show_figures(self, result: ExperimentResult, other: ExperimentResult | None) -> None:
        plot = self._experiments.selected.plot
        self._model.set_columns(figure_columns(result.figures))
        self._model.set_records(result.figures.rows)
        self.table.fit_columns()
        self.table.setMinimumHeight(min(self.table.content_height(), 24 * self._line()))
        self.lines.setVisible(bool(plot.line))
        self._legend.setVisible(bool(plot.line))
        self.bars.setVisible(not plot.line)
        if plot.line:
            self.lines.show_lines(result, other, plot)
            self._legend.show_entries(
                [
                    (word, word, look)
                    for word, look in zip(self.lines.words, self.lines.looks(), strict=True)
                ]
            )
        else:
            self.bars.show_bars(bars_of(result, other, plot), plot)

    def _beside_text(self, result: ExperimentResult | None, other: ExperimentResult | None) -> str:
        if result is None:
            return ""
        plot = self._experiments.selected.plot
        said = f"{plot.value}, {place_text(result)}"
        if other is not None:
            mark = "dashed" if plot.line else "in brackets and as a mark"
            said += f"; {mark}: {place_text(other)}"
        return said

    def _say(self, notice: Notice, result: ExperimentResult | None) -> None:
        if result is None:
            notice.say("")
            return
        said = verdict(result)
        whose = "Here" if notice is self._here else "Came with the program"
        notice.say(
            f"{said.kind[:1].upper()}{said.kind[1:]}: {said.text}.\n{whose}: {place_text(result)}, "
            f"triton {result.machine.triton}",
            *LOOKS[said.kind],
        )

    def _line(self) -> int:
        return self.fontMetrics().height()
