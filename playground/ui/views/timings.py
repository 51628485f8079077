"""Timings: the samples of the current config, what they come to, and every config tried."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QPushButton,
    QSplitter,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.views.baseline_delta import comparable
from playground.ui.views.chips import FlowLayout
from playground.ui.views.formatting import method_text, stopped_text
from playground.ui.views.history_plot import HistoryPlot
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.roomy_splitter import RoomySplitter
from playground.ui.views.samples_plot import SamplesPlot
from playground.ui.views.scroll_page import ScrollPage
from playground.ui.views.segmented import Segmented
from playground.ui.views.table_twin import RecordModel, RecordTable
from playground.ui.views.timing_head import TimingHead
from playground.ui.views.timing_tables import SAMPLE_COLUMNS, Sample, history_columns, samples_of

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.measurement import Measurement
    from playground.ui.document import Document
    from playground.ui.theme import Theme

INTERPRETER_NOTICE = (
    "interpreter: wall time on the CPU, no GPU timings. It says nothing about how fast the kernel "
    "runs on a GPU, so no bandwidth is drawn."
)
_CACHES = (
    ("cold", "Cold L2", "The cache is emptied before every sample"),
    ("warm", "Warm L2", "Samples follow each other: what fits stays in the cache"),
)


class TimingsView(QWidget):
    """Numbers with their method on top, plots below; each plot has a table twin."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timings")
        self.setAccessibleName("Timings")
        # Narrower than this the controls would be cut.
        self.setMinimumWidth(self.fontMetrics().height() * 20)
        self._document, self._theme = document, theme
        self._notice = Notice("timings.notice", theme, "warn", "info", self)
        self._cache = Segmented("timings.cache", "Cache before each sample", _CACHES, self)
        self._cache.chosen.connect(lambda mode: document.set_cache(mode))
        self._pin = QPushButton("Pin", self)
        self._pin.setObjectName("timings.pin")
        self._pin.clicked.connect(self._toggle_baseline)
        self._head = TimingHead(document, theme, self)

        self.samples_plot = SamplesPlot(theme, self)
        self.history_plot = HistoryPlot(theme, self)
        self.history_plot.configPicked.connect(self._apply)
        self._samples: RecordModel[Sample] = RecordModel(SAMPLE_COLUMNS, self)
        self._history: RecordModel[Measurement] = RecordModel(history_columns(()), self)
        samples = RecordTable("timings.samplesTable", "Samples", self._samples, self)
        self._history_table = RecordTable(
            "timings.historyTable", "Configs tried", self._history, self
        )
        self._history_table.recordPicked.connect(lambda item: self._apply(item.config))
        self._plots = self._split("timings.plots", self.samples_plot, self.history_plot)
        tables = self._split("timings.tables", samples, self._history_table)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._plots)
        self._pages.addWidget(tables)
        actions = PlotActions("timings", theme, self._plots, self._as_csv, "timings", self)
        actions.tableToggled.connect(self._pages.setCurrentIndex)

        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setSpacing(self.fontMetrics().height() // 4)
        layout.addWidget(self._notice)
        layout.addWidget(self._make_top(actions))
        layout.addWidget(self._head)
        layout.addWidget(self._pages, 1)
        self._empty = EmptyState("timings.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(ScrollPage("timings.page", page, self._pages, self))
        self._waiting = True
        self._connect()
        self._show_all()

    def _connect(self) -> None:
        document = self._document
        document.measuredChanged.connect(self._on_measured)
        document.progressChanged.connect(self._on_progress)
        document.historyChanged.connect(self._show_history)
        document.configChanged.connect(self._on_config)
        for changed in (document.launchesChanged, document.launchSelected):
            changed.connect(self._on_launch)
        for changed in (
            document.baselineChanged, document.deviceChanged, document.timing.floorChanged,
        ):  # fmt: skip
            changed.connect(self._show_all)
        document.cacheChanged.connect(self._on_launch)
        self._theme.changed.connect(self._show_pin)

    def _split(self, name: str, upper: QWidget, lower: QWidget) -> QSplitter:
        splitter = RoomySplitter(self)
        splitter.setObjectName(name)
        splitter.addWidget(upper)
        splitter.addWidget(lower)
        return splitter

    def _make_top(self, actions: PlotActions) -> QWidget:
        top = QWidget(self)
        flow = FlowLayout(top)
        for widget in (self._head.median, self._cache, self._pin, actions):
            flow.addWidget(widget)
        return top

    # ------------------------------------------------------------------------------ showing

    def _show_all(self) -> None:
        self._cache.set_value(self._document.cache)
        self._show_measurement()
        self._show_history()

    def _interpreted(self) -> bool:
        device = self._document.device
        return device is not None and device.mode == "interpreter"

    def _shown(self) -> Measurement | None:
        """Return the measurement to show: never one of the other cache mode."""
        measurement = self._document.measurement
        if measurement is None or measurement.source == "interpreter":
            return measurement
        return measurement if measurement.cache == self._document.cache else None

    def _show_measurement(self) -> None:
        measurement = self._shown()
        nothing = measurement is None and (self._document.launch is None or not self._mine())
        self._stack.setCurrentIndex(0 if nothing and not self._document.measurement else 1)
        self._notice.say(INTERPRETER_NOTICE if self._interpreted() else "")
        self._cache.setVisible(not self._interpreted())
        self._head.more.offer(not self._interpreted())
        self._show_pin()
        if nothing:
            self._say_what_to_do()
        if measurement is None:
            self._head.show_nothing(
                "measuring …" if self._waiting else "no timing",
                "" if self._waiting else "This config was not timed; the findings say why.",
            )
            self.samples_plot.show_samples(None, None)
            self._samples.set_records(())
            return
        self._head.show_measurement(measurement, current=self._document.is_current(measurement))
        self.samples_plot.show_samples(
            measurement, self._comparable(measurement), self._document.timing.floor_of(measurement)
        )
        self._samples.set_records(samples_of(measurement))

    def _say_what_to_do(self) -> None:
        if self._document.launch is None:
            self._empty.say("No timings yet", "Press F5 to run, then move a knob.")
        else:
            self._empty.say("Measuring …", "The selected launch is on its way.")

    def _comparable(self, measurement: Measurement) -> Measurement | None:
        """Return the baseline if its numbers mean the same as this measurement's."""
        baseline = self._document.baseline
        if baseline is measurement or not comparable(measurement, baseline):
            return None
        return baseline

    def _mine(self) -> tuple[Measurement, ...]:
        """Return the history of this launch; cold and warm never share a plot."""
        cache = self._document.cache
        return tuple(
            item
            for item in self._document.history
            if item.launch == self._document.launch_index
            and (item.cache == cache or item.source == "interpreter")
        )

    def _show_history(self) -> None:
        items = self._mine()
        baseline = self._document.baseline
        if not items or not comparable(items[-1], baseline):
            baseline = None
        self.history_plot.show_history(
            items, baseline, self._document.config, self._document.is_rejected,
            self._document.timing.floor_of(items[-1]) if items else None,
        )  # fmt: skip
        self._history.set_columns(history_columns([item.config for item in items]))
        self._history.set_records(items)
        self._history_table.fit_columns()

    def _on_launch(self) -> None:
        self._waiting = True
        self._show_all()

    def _on_measured(self) -> None:
        self._waiting = False
        self._show_measurement()

    def _on_progress(self, text: str) -> None:
        # The work ended; what has not come by now does not come.
        if not text and self._waiting:
            self._waiting = False
            if self._shown() is None:
                self._show_measurement()

    def _on_config(self) -> None:
        self._waiting = True
        self._show_measurement()
        self._show_history()

    # ------------------------------------------------------------------------------ acting

    def ask_more(self) -> None:
        """Show the figures that are measured only when asked for."""
        self._head.more.open()

    def _apply(self, config: Config) -> None:
        self._document.apply_config(config)

    def _show_pin(self) -> None:
        pinned = self._document.baseline is not None
        self._pin.setText("Unpin" if pinned else "Pin")
        self._pin.setIcon(icon("unpin" if pinned else "pin", self._theme))
        self._pin.setEnabled(pinned or self._document.measurement is not None)
        tip = (
            "Unpin the baseline: compare with none"
            if pinned
            else "Pin as baseline: compare what comes with this measurement"
        )
        self._pin.setToolTip(tip)
        self._pin.setAccessibleName(tip)

    def _toggle_baseline(self) -> None:
        if self._document.baseline is not None:
            self._document.clear_baseline()
        else:
            self._document.pin_baseline()

    def _as_csv(self) -> str:
        measurement = self._shown()
        out = io.StringIO()
        if measurement is not None:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["config", measurement.config.label()])
            writer.writerow(["clock source", method_text(measurement)])
            writer.writerow(["sampling", stopped_text(measurement)])
        return out.getvalue() + self._samples.as_csv() + "\n" + self._history.as_csv()
