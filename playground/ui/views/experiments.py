"""Rules of thumb put to the test: all of them with their verdicts, one with its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from playground.model.experiments import EXPERIMENTS, Experiment
from playground.ui.icons import icon
from playground.ui.views.chips import FlowLayout
from playground.ui.views.experiment_page import ExperimentPage
from playground.ui.views.experiment_rows import gallery_columns
from playground.ui.views.notice import Notice
from playground.ui.views.roomy_splitter import RoomySplitter
from playground.ui.views.table_twin import RecordModel, RecordTable

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex
    from PySide6.QtGui import QResizeEvent

    from playground.ui.document import Document
    from playground.ui.theme import Theme

_LINES_FOR_BOTH = 34
"""Lines of text that the whole gallery and a readable page take, one above the other."""
_NO_GPU = (
    "There is no GPU here to measure: shown are the figures that came with the program, with the "
    "GPU and the date they are of."
)


class ExperimentsView(QWidget):
    """The gallery above (or beside) the page of the experiment chosen."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("experiments")
        self.setAccessibleName("Experiments")
        self._document, self._theme = document, theme
        self._experiments = document.experiments
        self._start = self._button("experiments.start", "Measure here")
        self._start.clicked.connect(self._on_start)
        self._all = self._button("experiments.all", "Measure all")
        self._all.clicked.connect(self._experiments.measure_all)
        verbs = QWidget(self)
        flow = FlowLayout(verbs)
        for button in (self._start, self._all):
            flow.addWidget(button)
        self._notice = Notice("experiments.notice", theme, "warn", "info", self)
        self._model: RecordModel[Experiment] = RecordModel(
            gallery_columns(self._experiments, theme), self
        )
        self._table = RecordTable("experiments.gallery", "Rules of thumb", self._model, self)
        self._table.setSortingEnabled(False)
        self._model.set_records(EXPERIMENTS)
        self._table.selectionModel().currentRowChanged.connect(self._on_row)
        self.page = ExperimentPage(self._experiments, theme, self)
        splitter = self._splitter = RoomySplitter(self, _LINES_FOR_BOTH)
        splitter.setObjectName("experiments.splitter")
        splitter.addWidget(self._table)
        splitter.addWidget(self.page)
        splitter.splitterMoved.connect(self._on_moved)
        self._is_moved = False
        head = QHBoxLayout()
        head.addWidget(verbs, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(self._notice)
        layout.addWidget(splitter, 1)
        self._experiments.changed.connect(self._show)
        document.engineStateChanged.connect(self._show)
        theme.changed.connect(self._show)
        self._table.select_record(0)
        self._show()
        self._table.fit_columns()

    def _button(self, name: str, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(name)
        button.setAccessibleName(text)
        return button

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the gallery what it needs, until the user has moved the handle."""
        super().resizeEvent(event)
        if self._is_moved:
            return
        if self._splitter.orientation() == Qt.Orientation.Horizontal:
            whole = self._splitter.width()
            first = round(0.42 * whole)
        else:
            whole = self._splitter.height()
            first = min(self._table.content_height(), round(0.4 * whole))
        self._splitter.setSizes([first, whole - first])

    def _on_moved(self, _position: int, _handle: int) -> None:
        self._is_moved = True

    # ------------------------------------------------------------------------------ showing

    def _show(self, _what: object = None) -> None:
        experiments = self._experiments
        running = bool(experiments.running)
        device = self._document.device
        text = "Cancel" if running else "Measure here"
        self._start.setText(text)
        self._start.setAccessibleName(text)
        self._start.setToolTip(
            "Stop measuring" if running else f"Measure “{experiments.selected.title}” on this GPU"
        )
        self._start.setIcon(icon("cross" if running else "run", self._theme))
        self._all.setIcon(icon("run", self._theme))
        self._all.setToolTip("Measure every rule of thumb on this GPU: two to three minutes")
        usable = experiments.can_measure()
        self._start.setEnabled(running or usable)
        self._all.setEnabled(usable and not running)
        if experiments.why:
            self._notice.say(experiments.why, "warn", "warning")
        elif device is not None and not usable:
            self._notice.say(_NO_GPU, "muted", "info")
        else:
            self._notice.say("")
        self._model.dataChanged.emit(
            self._model.index(0, 0),
            self._model.index(self._model.rowCount() - 1, self._model.columnCount() - 1),
            [Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.DecorationRole],
        )
        self.page.show_selected()

    # ------------------------------------------------------------------------------ acting

    def _on_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            record = self._table.record_at(current.row())
            if isinstance(record, Experiment):
                self._experiments.select(record.name)

    def _on_start(self) -> None:
        if self._experiments.running:
            self._experiments.cancel()
        else:
            self._experiments.measure(self._experiments.selected.name)
