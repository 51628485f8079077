"""The sweep: a space to edit, its progress, and every config's outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.views.chips import FlowLayout
from playground.ui.views.formatting import time_text
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.sweep_columns import STATUS, sweep_columns
from playground.ui.views.sweep_space import SweepSpace
from playground.ui.views.table_twin import Column, RecordModel, RecordTable
from playground.ui.views.timing_tables import varying_label

if TYPE_CHECKING:
    from playground.model.sweep import SweepRow
    from playground.ui.document import Document
    from playground.ui.theme import Theme


class SweepView(QWidget):
    """Edits the space, starts and cancels, and lists the rows as they come in.

    A double click, or Enter, applies the row's config.
    """

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweepView")
        self.setAccessibleName("Sweep")
        # Narrower than this the controls would be cut.
        self.setMinimumWidth(self.fontMetrics().height() * 20)
        self._document, self._theme = document, theme
        self._shown: tuple[object, ...] | None = None
        self._varying: tuple[str, ...] = ()
        self._running = False
        self._notice = Notice("sweep.notice", theme, "warn", "info", self)
        self._space = SweepSpace(theme, self)
        self._space.changed.connect(self._show_count)
        self._count = QLabel(self)
        self._count.setObjectName("sweep.count")
        self._count.setWordWrap(True)
        self._start = QPushButton("Start sweep", self)
        self._start.setObjectName("sweep.start")
        self._start.setAccessibleName("Start the sweep")
        self._start.clicked.connect(self.start_sweep)
        self._cancel = QPushButton("Cancel", self)
        self._cancel.setObjectName("sweep.cancel")
        self._cancel.setAccessibleName("Cancel the sweep")
        self._cancel.clicked.connect(document.cancel)
        self._around = QPushButton("Around this config", self)
        self._around.setObjectName("sweep.around")
        self._around.setToolTip("Fill in a few steps either side of the config shown")
        self._around.setAccessibleName(self._around.toolTip())
        self._around.clicked.connect(self._fill)
        self._copy = QPushButton("Copy CSV", self)
        self._copy.setObjectName("sweep.copy")
        self._copy.setAccessibleName("Copy all rows as CSV")
        self._copy.clicked.connect(self._on_copy)
        self._bar = QProgressBar(self)
        self._bar.setObjectName("sweep.progress")
        self._bar.setAccessibleName("Progress of the sweep")
        self._summary = QLabel(self)
        self._summary.setObjectName("sweep.summary")
        self._summary.setWordWrap(True)
        self._summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._model: RecordModel[SweepRow] = RecordModel((), self)
        self._model.emphasis = self._emphasis
        self._table = RecordTable("sweep.table", "Configs tried by the sweep", self._model, self)
        self._table.recordPicked.connect(self._apply)

        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.addWidget(self._notice)
        layout.addWidget(self._make_body(page), 1)
        self._empty = EmptyState(
            "sweep.empty", "Nothing to sweep yet", "Press F5 to run; then choose values to try.",
            theme, self,
        )  # fmt: skip
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)

        document.launchesChanged.connect(self._show_launch)
        document.launchSelected.connect(self._show_launch)
        document.knobsChanged.connect(self._show_launch)
        document.deviceChanged.connect(self._show_mode)
        document.sweepChanged.connect(self._show_rows)
        document.engineStateChanged.connect(self._on_engine)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show_launch()
        self._show_mode()
        self._show_rows()

    def _make_body(self, parent: QWidget) -> QSplitter:
        buttons = QWidget(parent)
        flow = FlowLayout(buttons)
        for button in (self._start, self._cancel, self._around, self._copy):
            flow.addWidget(button)
        above = QWidget(parent)
        top = QVBoxLayout(above)
        top.setContentsMargins(0, 0, 0, 0)
        scroll = QScrollArea(above)
        scroll.setObjectName("sweep.spaceScroll")
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        scroll.setWidget(self._space)
        top.addWidget(scroll, 1)
        top.addWidget(self._count)
        top.addWidget(buttons)
        below = QWidget(parent)
        bottom = QVBoxLayout(below)
        bottom.setContentsMargins(0, 0, 0, 0)
        bottom.addWidget(self._bar)
        bottom.addWidget(self._summary)
        bottom.addWidget(self._table, 1)
        splitter = QSplitter(Qt.Orientation.Vertical, parent)
        splitter.setObjectName("sweep.splitter")
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(above)
        splitter.addWidget(below)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)
        self._body = splitter
        return splitter

    # ------------------------------------------------------------------------------ showing

    def _recolour(self) -> None:
        self._start.setIcon(icon("sweep", self._theme))
        self._copy.setIcon(icon("copy", self._theme))
        self._cancel.setIcon(icon("cross", self._theme))
        self._model.set_columns(self._columns())

    def _columns(self) -> tuple[Column[SweepRow], ...]:
        device = self._document.device
        timed = device is None or device.mode == "gpu"
        return sweep_columns(self._varying, self._theme, timed=timed)

    def _varying_knobs(self) -> tuple[str, ...]:
        """Return the knobs that differ among the rows: the others would be columns of one value."""
        rows = self._document.sweep_rows
        launch = self._document.launch
        if launch is None or not rows:
            return ()
        names = [knob.name for knob in launch.knobs if knob.name in rows[0].config]
        found = tuple(n for n in names if len({row.config.as_dict().get(n) for row in rows}) > 1)
        return found or tuple(names)

    def _show_mode(self) -> None:
        device = self._document.device
        self._notice.say(
            "interpreter: no GPU timings, nothing is ranked by time. A sweep compiles and checks "
            "every config."
            if device is not None and device.mode == "interpreter"
            else ""
        )
        self._model.set_columns(self._columns())

    def _show_launch(self) -> None:
        launch = self._document.launch
        self._stack.setCurrentIndex(0 if launch is None else 1)
        if launch is None or (launch.config.values and not self._document.config.values):
            # The config comes a moment after the launches themselves.
            self._shown = None
            return
        # The user's edits stay while the same launch comes back from another run.
        shape = (launch.index, launch.kernel, tuple((k.name, k.derived) for k in launch.knobs))
        if shape != self._shown:
            self._shown = shape
            self._model.set_columns(self._columns())
            self._fill()

    def _fill(self) -> None:
        launch = self._document.launch
        if launch is not None:
            self._space.show_knobs(launch.knobs, self._document.config)

    def _show_count(self) -> None:
        count = self._space.count()
        if self._space.problem:
            self._count.setText(self._space.problem)
        else:
            self._count.setText(f"{count} config{'' if count == 1 else 's'} to try")
        self._show_buttons()

    def _show_buttons(self) -> None:
        ready = self._document.engine_state in ("ready", "busy")
        self._start.setEnabled(self._space.count() > 0 and not self._running and ready)
        self._cancel.setEnabled(self._running)
        self._copy.setEnabled(bool(self._document.sweep_rows))

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting", "ready"):
            self._running = False
        self._show_rows()

    def _show_rows(self) -> None:
        document = self._document
        result = document.sweep_result
        if result is not None:
            self._running = False
        done, total = document.sweep_done
        self._bar.setVisible(self._running)
        # Before the first rows the total is the space's own, so that the bar counts from the start.
        self._bar.setRange(0, total or self._space.count())
        self._bar.setValue(done)
        self._bar.setFormat(f"{done} of {total or self._space.count()}")
        varying = self._varying_knobs()
        if varying != self._varying:
            self._varying = varying
            self._model.set_columns(self._columns())
        self._model.set_records(document.sweep_rows)
        self._table.fit_columns()
        self._summary.setText(self._summary_text())
        self._summary.setVisible(bool(self._summary.text()))
        self._table.setAccessibleDescription(self._summary.text())
        self._show_buttons()

    def _best(self) -> SweepRow | None:
        timed = [
            row
            for row in self._document.sweep_rows
            if row.median_ms is not None and row.status == "correct"
        ]
        return min(timed, key=lambda row: row.median_ms or 0.0) if timed else None

    def _summary_text(self) -> str:
        rows = self._document.sweep_rows
        if not rows:
            return ""
        counts: dict[str, int] = {}
        for row in rows:
            status = STATUS[row.status][0]
            counts[status] = counts.get(status, 0) + 1
        text = f"{len(rows)} configs: " + ", ".join(f"{n} {s}" for s, n in counts.items())
        best = self._best()
        if best is not None and best.median_ms is not None:
            chosen = varying_label(best.config, self._varying)
            text = f"Best {chosen}: {time_text(best.median_ms)}. {text}"
        result = self._document.sweep_result
        if result is not None:
            if result.cancelled:
                text += f"; cancelled after {len(rows)} of {result.total}"
            if result.note:
                text += f"; {result.note}"
        return text

    def _emphasis(self, row: SweepRow) -> QColor | None:
        if row is not self._best():
            return None
        ground = self._theme.color("good")
        ground.setAlphaF(0.22)
        return ground

    # ------------------------------------------------------------------------------ acting

    def start_sweep(self) -> None:
        """Try every config of the space shown; does nothing while a field can't be read."""
        if self._space.problem:
            return
        self._running = True
        height = self._body.height()
        if height < 30 * self.fontMetrics().height():
            # In a low panel the rows are what there is to see now; the values scroll.
            self._body.setSizes([round(height * 0.35), round(height * 0.65)])
        self._document.start_sweep(self._space.values())
        self._show_rows()

    def _apply(self, row: SweepRow) -> None:
        self._document.apply_config(row.config)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._model.as_csv())
