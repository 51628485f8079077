"""Timings: the samples of the current config, what they come to, and every config tried."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.icons import icon
from playground.ui.views.chips import Chip, FlowLayout
from playground.ui.views.formatting import (
    ceiling_share,
    change_text,
    interval_text,
    method_text,
    significant,
    time_text,
)
from playground.ui.views.history_plot import HistoryPlot
from playground.ui.views.meter import Meter
from playground.ui.views.notice import EmptyState, Notice
from playground.ui.views.plot_actions import PlotActions
from playground.ui.views.roles import set_role
from playground.ui.views.roomy_splitter import RoomySplitter
from playground.ui.views.samples_plot import FEW_SAMPLES, SamplesPlot
from playground.ui.views.table_twin import RecordModel, RecordTable
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
        self._median = QLabel(self)
        self._median.setObjectName("timings.median")
        font = self._median.font()
        font.setPointSizeF(font.pointSizeF() * 1.9)
        font.setBold(True)
        self._median.setFont(font)
        self._detail = QLabel(self)
        self._detail.setObjectName("timings.detail")
        self._detail.setWordWrap(True)
        set_role(self._detail, "muted")
        for label in (self._median, self._detail):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._cache = QComboBox(self)
        self._cache.setObjectName("timings.cache")
        self._cache.setAccessibleName("Cache mode of the measurement")
        self._cache.setToolTip("Evict the L2 before every sample (cold), or leave it filled (warm)")
        self._cache.addItem("cold L2", "cold")
        self._cache.addItem("warm L2", "warm")
        self._cache.activated.connect(lambda i: document.set_cache(self._cache.itemData(i)))
        self._pin = QPushButton("Pin baseline", self)
        self._pin.setObjectName("timings.pin")
        self._pin.clicked.connect(self._toggle_baseline)
        chips = QWidget(self)
        flow = FlowLayout(chips)
        self._delta = Chip("timings.delta", theme, chips)
        self._host = Chip("timings.host", theme, chips)
        self._tflops = Chip("timings.tflops", theme, chips)
        self._clock = Chip("timings.clock", theme, chips)
        self._doubt = Chip("timings.notes", theme, chips)
        for chip in (self._delta, self._tflops, self._host, self._clock, self._doubt):
            flow.addWidget(chip)
        self._bandwidth = Meter("timings.bandwidth", theme, self)

        self.samples_plot = SamplesPlot(theme, self)
        self.history_plot = HistoryPlot(theme, self)
        self.history_plot.configPicked.connect(self._apply)
        self._samples: RecordModel[Sample] = RecordModel(SAMPLE_COLUMNS, self)
        self._history: RecordModel[Measurement] = RecordModel(history_columns(()), self)
        samples = RecordTable("timings.samplesTable", "Samples", self._samples, self)
        self._history_table = RecordTable(
            "timings.historyTable", "Configs tried", self._history, self
        )
        self._samples_table = samples
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
        layout.addWidget(self._notice)
        layout.addWidget(self._make_head(actions))
        layout.addWidget(self._detail)
        layout.addWidget(chips)
        layout.addWidget(self._bandwidth)
        layout.addWidget(self._pages, 1)
        self._empty = EmptyState("timings.empty", "", "", theme, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)

        self._waiting = True
        document.measuredChanged.connect(self._on_measured)
        document.progressChanged.connect(self._on_progress)
        document.baselineChanged.connect(self._show_all)
        document.historyChanged.connect(self._show_history)
        document.configChanged.connect(self._on_config)
        document.launchesChanged.connect(self._on_launch)
        document.launchSelected.connect(self._on_launch)
        document.deviceChanged.connect(self._show_all)
        document.cacheChanged.connect(self._show_all)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._show_all()

    def _split(self, name: str, upper: QWidget, lower: QWidget) -> QSplitter:
        splitter = RoomySplitter(self)
        splitter.setObjectName(name)
        splitter.addWidget(upper)
        splitter.addWidget(lower)
        return splitter

    def _make_head(self, actions: PlotActions) -> QWidget:
        head = QWidget(self)
        flow = FlowLayout(head, 10)
        for widget in (self._median, self._cache, self._pin, actions):
            flow.addWidget(widget)
        return head

    def _recolour(self) -> None:
        self._show_pin()

    # ------------------------------------------------------------------------------ showing

    def _show_all(self) -> None:
        blocker = QSignalBlocker(self._cache)
        self._cache.setCurrentIndex(self._cache.findData(self._document.cache))
        del blocker
        self._show_measurement()
        self._show_history()

    def _interpreted(self) -> bool:
        device = self._document.device
        return device is not None and device.mode == "interpreter"

    def _show_measurement(self) -> None:
        measurement = self._document.measurement
        nothing = measurement is None and (self._document.launch is None or not self._mine())
        self._stack.setCurrentIndex(0 if nothing else 1)
        self._notice.say(INTERPRETER_NOTICE if self._interpreted() else "")
        self._cache.setVisible(not self._interpreted())
        self._show_pin()
        if nothing:
            self._say_what_to_do()
        if measurement is None:
            self._median.setText("measuring …" if self._waiting else "no timing")
            self._detail.setText(
                "" if self._waiting else "This config was not timed; the findings say why."
            )
            for chip in (self._delta, self._host, self._tflops, self._clock, self._doubt):
                chip.show_fact("")
            self._bandwidth.hide()
            self.samples_plot.show_samples(None, None)
            self._samples.set_records(())
            return
        low, high = measurement.interval_ms
        self._median.setText(time_text(measurement.median_ms))
        stale = "" if self._document.is_current(measurement) else "measuring again … "
        count = len(measurement.samples_ms)
        statistics = (
            f"median, 95 % interval {interval_text(low, high)} · spread "
            f"{measurement.spread * 100:.1f} % · {count} samples"
        )
        if count == 1:
            statistics = "one sample: its spread is unknown"
        self._detail.setText(
            f"{stale}{statistics} · {method_text(measurement)}\n{measurement.config.label()}"
        )
        self._show_chips(measurement)
        self._show_bandwidth(measurement)
        self.samples_plot.show_samples(measurement, self._comparable(measurement))
        self._samples.set_records(samples_of(measurement))

    def _say_what_to_do(self) -> None:
        if self._document.launch is None:
            self._empty.say("No timings yet", "Press F5 to run, then move a knob.")
        else:
            self._empty.say("Measuring …", "The selected launch is on its way.")

    def _comparable(self, measurement: Measurement) -> Measurement | None:
        """Return the baseline if its numbers mean the same as this measurement's."""
        baseline = self._document.baseline
        if baseline is None or baseline is measurement:
            return None
        same = (baseline.source == "interpreter") == (measurement.source == "interpreter")
        return baseline if same and baseline.cache == measurement.cache else None

    def _show_chips(self, measurement: Measurement) -> None:
        baseline = self._comparable(measurement)
        if baseline is not None and baseline.config != measurement.config:
            change = change_text(measurement.median_ms, baseline.median_ms)
            apart = (
                measurement.interval_ms[1] < baseline.interval_ms[0]
                or measurement.interval_ms[0] > baseline.interval_ms[1]
            )
            faster = measurement.median_ms < baseline.median_ms
            word = ("faster" if faster else "slower") if apart else "intervals overlap"
            if min(len(measurement.samples_ms), len(baseline.samples_ms)) < FEW_SAMPLES:
                apart, word = False, "too few samples to tell"
            self._delta.show_fact(
                f"{change} against the baseline, {word}",
                "muted" if not apart else "good" if faster else "bad",
                "none" if not apart else "check" if faster else "warning",
                tip=f"Baseline {baseline.config.label()}: {time_text(baseline.median_ms)}, "
                f"{method_text(baseline)}",
            )
        else:
            self._delta.show_fact("")
        host = measurement.host_ms
        self._host.show_fact(
            f"host {time_text(host)}" if host is not None else "",
            tip="Time the host takes for one launch; a kernel shorter than this waits for it",
        )
        rate = measurement.tflops
        self._tflops.show_fact(
            f"{significant(rate)} TFLOP/s" if rate is not None else "", "accent",
            tip="Counted tl.dot operations over the median",
        )  # fmt: skip
        clock = measurement.after.sm_clock_mhz
        throttle = measurement.after.throttle
        self._clock.show_fact(
            f"{clock} MHz" + (f", {throttle}" if throttle else "") if clock else "",
            "warn" if throttle else "muted", "warning" if throttle else "none",
            tip="SM clock after the measurement",
        )  # fmt: skip
        notes = " · ".join(measurement.notes)
        self._doubt.show_fact(
            f"{len(measurement.notes)} note{'s' if len(measurement.notes) > 1 else ''}"
            if notes else "", "warn", "info", tip=notes,
        )  # fmt: skip

    def _show_bandwidth(self, measurement: Measurement) -> None:
        rate = measurement.bandwidth_gbps
        self._bandwidth.setVisible(rate is not None)
        if rate is None:
            return
        share = ceiling_share(measurement, self._document.device)
        if share is None:
            self._bandwidth.show_share(0.0, f"{significant(rate, 4)} GB/s of counted bytes")
            return
        ceiling = self._document.device.copy_ceiling_gbps if self._document.device else None
        baseline = self._comparable(measurement)
        ghost = ceiling_share(baseline, self._document.device) if baseline else None
        text = (
            f"{significant(rate, 4)} GB/s, {share * 100:.0f} % of the measured copy ceiling "
            f"({significant(ceiling or 0.0, 4)} GB/s)"
        )
        if share > 1:
            text += "; above it: served from the cache"
        self._bandwidth.show_share(min(share, 1.0), text, "accent", ghost)

    def _mine(self) -> tuple[Measurement, ...]:
        """Return the history of this launch; cold and warm never share a plot."""
        measurement = self._document.measurement
        cache = measurement.cache if measurement is not None else self._document.cache
        return tuple(
            item
            for item in self._document.history
            if item.launch == self._document.launch_index
            and (item.cache == cache or item.source == "interpreter")
        )

    def _show_history(self) -> None:
        items = self._mine()
        measurement = self._document.measurement
        baseline = self._document.baseline
        if measurement is not None:
            baseline = self._comparable(measurement) or (
                baseline if baseline is measurement else None
            )
        self.history_plot.show_history(
            items, baseline, self._document.config, self._document.is_rejected
        )
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
            if self._document.measurement is None:
                self._show_measurement()

    def _on_config(self) -> None:
        self._waiting = True
        self._show_measurement()
        self._show_history()

    # ------------------------------------------------------------------------------ acting

    def _apply(self, config: Config) -> None:
        self._document.apply_config(config)

    def _show_pin(self) -> None:
        pinned = self._document.baseline is not None
        self._pin.setText("Unpin baseline" if pinned else "Pin baseline")
        self._pin.setIcon(icon("unpin" if pinned else "pin", self._theme))
        self._pin.setEnabled(pinned or self._document.measurement is not None)
        tip = "Compare with no baseline" if pinned else "Compare what comes with this measurement"
        self._pin.setToolTip(tip)
        self._pin.setAccessibleName(f"{self._pin.text()}: {tip}")

    def _toggle_baseline(self) -> None:
        if self._document.baseline is not None:
            self._document.clear_baseline()
        else:
            self._document.pin_baseline()

    def _as_csv(self) -> str:
        measurement = self._document.measurement
        out = io.StringIO()
        if measurement is not None:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["config", measurement.config.label()])
            writer.writerow(["clock source", method_text(measurement)])
        return out.getvalue() + self._samples.as_csv() + "\n" + self._history.as_csv()
