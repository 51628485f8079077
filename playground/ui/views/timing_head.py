"""The numbers of the current measurement, each with where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from playground.ui.views.baseline_delta import comparable, delta
from playground.ui.views.chips import Chip, FlowLayout
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.formatting import (
    ceiling_share,
    interval_text,
    method_text,
    significant,
    stopped_text,
    time_text,
)
from playground.ui.views.meter import Meter
from playground.ui.views.more_figures import MoreFigures
from playground.ui.views.ratio_gauge import RatioGauge
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.model.measurement import Measurement
    from playground.ui.document import Document
    from playground.ui.theme import Theme


class TimingHead(QWidget):
    """Median, interval, method and stop; chips; bandwidth; the change against the baseline.

    Rows keep their height while values come and go, so that nothing below them moves.
    """

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.median = QLabel(self)
        self.median.setObjectName("timings.median")
        font = self.median.font()
        font.setPointSizeF(font.pointSizeF() * 1.9)
        font.setBold(True)
        self.median.setFont(font)
        self.median.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._lines = tuple(
            ElidedLabel(f"timings.{name}", self) for name in ("detail", "method", "config")
        )
        for line in self._lines:
            set_role(line, "muted")
            # Where there is little room the plots give way, not the words.
            line.setFixedHeight(line.fontMetrics().height())
        self._chips = QWidget(self)
        flow = FlowLayout(self._chips)
        self.more = MoreFigures(document, theme, self)
        self._tflops = Chip("timings.tflops", theme, self._chips)
        self._host = Chip("timings.host", theme, self._chips)
        self._clock = Chip("timings.clock", theme, self._chips)
        self._doubt = Chip("timings.notes", theme, self._chips)
        for chip in (self._host, self._clock, self._tflops, self._doubt):
            flow.addWidget(chip)
        flow.addWidget(self.more.toggle)
        self._bandwidth = Meter("timings.bandwidth", theme, self)
        self._against = QWidget(self)
        self._delta = Chip("timings.delta", theme, self._against)
        self._gauge = RatioGauge("timings.gauge", theme, self._against)
        self._shown: tuple[Measurement, bool] | None = None
        self._build()
        # A verdict may come, or change with the target, when the time stands there already.
        document.checkedChanged.connect(self._show_doubt)
        document.compiledChanged.connect(self._show_doubt)

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 4)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        for line in self._lines:
            lines.addWidget(line)
        layout.addLayout(lines)
        layout.addWidget(self._chips)
        layout.addWidget(self.more)
        layout.addWidget(self._bandwidth)
        # Half of the row each, whatever the change says: the gauge's axis stays where it is.
        place = QWidget(self._against)
        place.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        beside = QHBoxLayout(place)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.addWidget(self._delta)
        beside.addStretch(1)
        row = QHBoxLayout(self._against)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(place, 1)
        row.addWidget(self._gauge, 1)
        layout.addWidget(self._against)

    def show_nothing(self, median: str, detail: str) -> None:
        """Say why there is no measurement."""
        self.median.setText(median)
        self._shown = None
        self._strike("")
        for line, text in zip(self._lines, (detail, "", ""), strict=True):
            line.setText(text)
        for chip in (self._host, self._tflops, self._clock, self._doubt):
            chip.show_fact("")
        self._bandwidth.show_share(0.0, "")
        self._show_against(None)

    def show_measurement(self, measurement: Measurement, *, current: bool) -> None:
        """Show a measurement; one that is not `current` is being replaced, and says so.

        The time of a result that is wrong, or of a config that cannot run, is struck through.
        """
        low, high = measurement.interval_ms
        self.median.setText(time_text(measurement.median_ms))
        self._shown = measurement, current
        count = len(measurement.samples_ms)
        statistics = (
            f"median of {count} samples, 95 % interval {interval_text(low, high)} · spread "
            f"{measurement.spread * 100:.1f} %"
        )
        if count == 1:
            statistics = "one sample: its spread is unknown"
        stopped = stopped_text(measurement)
        texts = (
            statistics,
            method_text(measurement) + (f" · {stopped}" if stopped else ""),
        )
        for line, text in zip(self._lines, texts, strict=False):
            line.setText(text)
            line.setToolTip(text)
        self._show_doubt()
        self._show_chips(measurement)
        self._show_bandwidth(measurement)
        self._show_against(measurement)

    def _show_doubt(self) -> None:
        """Say what config was timed, and strike its time through where it counts for nothing."""
        if self._shown is None:
            return
        measurement, current = self._shown
        doubt = self._document.doubt_about(measurement)
        self._strike(doubt)
        set_role(self.median, "bad" if doubt else "" if current else "muted")
        label = measurement.config.label()
        text = label if current else f"of {label}; measuring again …"
        if doubt:
            text = f"{doubt}, it counts for nothing · {text}"
        self._lines[-1].setText(text)
        self._lines[-1].setToolTip(text)

    def _strike(self, doubt: str) -> None:
        font = self.median.font()
        if font.strikeOut() != bool(doubt):
            font.setStrikeOut(bool(doubt))
            self.median.setFont(font)
        self.median.setToolTip(f"{doubt}: it counts for nothing" if doubt else "")
        self.median.setAccessibleDescription(doubt)

    def _show_against(self, measurement: Measurement | None) -> None:
        """Show the change against the baseline, on an axis with the noise floor."""
        baseline = self._document.baseline
        mine = baseline is not None and baseline.launch == self._document.launch_index
        self._against.setVisible(mine)
        if baseline is None or not mine:
            self._delta.show_fact("")
            return
        if measurement is None:
            self._delta.show_fact("no timing to compare")
            self._gauge.show_ratio(None, None, "baseline")
            return
        floor = self._document.timing.floor_of(measurement)
        if not comparable(measurement, baseline):
            self._delta.show_fact(
                f"the baseline is {method_text(baseline).rpartition(', ')[2]}: not compared",
                tip="Cold and warm times are two different things; pin a baseline in this mode",
            )
            self._gauge.show_ratio(None, floor, "as fast")
            return
        if baseline.config == measurement.config:
            self._delta.show_fact("this is the baseline", tip=baseline.config.label())
            self._gauge.show_ratio(None, floor, "baseline")
            return
        change = delta(measurement, baseline, floor)
        self._delta.show_fact(change.text, change.tone, change.mark, tip=change.tip)
        bounds = (change.ratio, change.low, change.high)
        self._gauge.show_ratio(bounds, floor, "baseline", change.tone)

    def _show_chips(self, measurement: Measurement) -> None:
        host = measurement.host_ms
        self._host.show_fact(
            f"host {time_text(host)}" if host is not None else "",
            tip="Time the host takes for one cached launch, by the CPU's clock; a kernel shorter "
            "than this waits for it",
        )
        rate = measurement.tflops
        method = method_text(measurement)
        self._tflops.show_fact(
            f"{significant(rate)} TFLOP/s" if rate is not None else "", "accent",
            tip=f"Counted tl.dot operations over the median ({method})",
        )  # fmt: skip
        clock = measurement.after.sm_clock_mhz
        throttle = measurement.after.throttle
        warmth = measurement.after.temperature_c
        before = measurement.before.sm_clock_mhz
        self._clock.show_fact(
            f"SM {clock} MHz" + (f", {throttle}" if throttle else "") if clock else "",
            "warn" if throttle else "muted", "warning" if throttle else "none",
            tip=f"SM clock after the measurement, from NVML; {before} MHz before it"
            + (f"; {warmth} °C" if warmth is not None else ""),
        )  # fmt: skip
        notes = " · ".join(measurement.notes)
        self._doubt.show_fact(
            f"{len(measurement.notes)} note{'s' if len(measurement.notes) > 1 else ''}"
            if notes else "", "warn", "info", tip=notes,
        )  # fmt: skip

    def _show_bandwidth(self, measurement: Measurement) -> None:
        self._bandwidth.setVisible(measurement.source != "interpreter")
        rate, device = measurement.bandwidth_gbps, self._document.device
        if rate is None:
            self._bandwidth.show_share(0.0, "bandwidth: the bytes are not counted yet")
            return
        cache = "cold" if measurement.cache == "cold" else "warm"
        share = ceiling_share(measurement, device)
        if share is None:
            self._bandwidth.show_share(
                0.0, f"{significant(rate, 4)} GB/s of counted bytes ({cache} L2)"
            )
            return
        ceiling = device.copy_ceiling_gbps if device else None
        baseline = self._document.baseline
        shown = baseline if baseline is not None and comparable(measurement, baseline) else None
        ghost = ceiling_share(shown, device) if shown and shown is not measurement else None
        text = (
            f"{significant(rate, 4)} GB/s ({cache} L2), {share * 100:.0f} % of the measured copy "
            f"ceiling ({significant(ceiling or 0.0, 4)} GB/s)"
        )
        if share > 1:
            text += "; above it: served from the cache"
        self._bandwidth.show_share(min(share, 1.0), text, "accent", ghost)
