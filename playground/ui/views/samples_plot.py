"""The samples of one measurement: each in the order taken, and beside them how they spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg

from playground.model.statistics import quantile
from playground.ui.views.formatting import CACHE_TEXT, measurement_text, time_unit
from playground.ui.views.plot_style import DrawnPlot, names_above

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.model.measurement import Measurement
    from playground.ui.theme import Theme


FEW_SAMPLES = 5
"""Fewer samples than this are shown as points only: bars would invent a distribution."""
GAP, HISTOGRAM, NAMES = 0.05, 0.55, 0.32
"""Room between the samples and their histogram, for it, and for the names of lines at its right, as
shares of the samples' width."""


class SamplesPlot(DrawnPlot):
    """Points in order at the left, their histogram at the right, on one axis of time.

    The median's line and band, the baseline's, and the noise floor around that, cross both.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(
            "timings.samples", "Samples in order and their distribution", theme, parent
        )
        self._measurement: Measurement | None = None
        self._baseline: Measurement | None = None
        self._floor: float | None = None
        self.beyond = 0
        self.recolour()

    def show_samples(
        self,
        measurement: Measurement | None,
        baseline: Measurement | None,
        floor: float | None = None,
    ) -> None:
        """Draw `measurement`, with `baseline` as an outline and its noise floor as a band."""
        self._measurement, self._baseline, self._floor = measurement, baseline, floor
        self.redraw()

    def draw(self) -> None:
        """Draw what is shown."""
        measurement = self._measurement
        if measurement is None or not measurement.samples_ms:
            self.label_axes("time", "samples in order")
            return
        unit, factor = time_unit(measurement.median_ms)
        samples = np.asarray(measurement.samples_ms) * factor
        shown = [samples]
        if self._baseline is not None:
            shown.append(np.asarray(self._baseline.samples_ms) * factor)
        low, high = _range(shown)
        self.beyond = int((samples > high).sum())
        count = len(samples)
        right = (count + 1.0) * (1 + NAMES)
        middle = measurement.median_ms * factor
        other = None if self._baseline is None else self._baseline.median_ms * factor
        above, other_above = names_above(middle, other, low, high)
        self._draw_baseline(factor, above=other_above)
        if count >= FEW_SAMPLES:
            start = count * (1 + GAP) + 0.5
            width = max(count * HISTOGRAM, 1.0)
            self._draw_bars(shown, low, high, start, width)
            right = start + width + count * NAMES
        if count > 1:
            bottom, top = measurement.interval_ms
            self.band((bottom * factor, top * factor), "plot_2", 0.28)
        self._draw_points(samples, high)
        self.level(middle, "median", "plot_2", above=above)
        self.label_axes(
            ", ".join(filter(None, (unit, CACHE_TEXT[measurement.cache]))), self._bottom()
        )
        self.setXRange(0.0, right, padding=0.01)
        self.setYRange(low, high, padding=0.08 if count < FEW_SAMPLES else 0.04)
        self.item.getAxis("bottom").setTicks([_ticks(count)])
        beyond = f" {self.beyond} slower samples lie beyond the axis." if self.beyond else ""
        self.setAccessibleDescription(measurement_text(measurement) + beyond)

    def _bottom(self) -> str:
        words = "samples in order, distribution"
        return f"{words}; {self.beyond} slower ▲" if self.beyond else words

    def _draw_points(self, samples: np.ndarray, high: float) -> None:
        few = len(samples) < FEW_SAMPLES
        size = self.fontMetrics().height() * (0.6 if few else 0.32)
        x = np.arange(1, len(samples) + 1)
        inside = samples <= high
        self.item.addItem(
            pg.ScatterPlotItem(
                x=x[inside], y=samples[inside], size=size, brush=self.tint("plot_1", 0.8), pen=None
            )
        )
        if self.beyond:
            # What lies beyond is not left out: it stands at the edge, pointing there.
            late = x[~inside]
            self.item.addItem(
                pg.ScatterPlotItem(
                    x=late, y=np.full(len(late), high), size=size * 2, symbol="t1",
                    brush=self.tint("warn", 0.9), pen=None,
                )
            )  # fmt: skip

    def _draw_bars(
        self, shown: list[np.ndarray], low: float, high: float, start: float, width: float
    ) -> None:
        """Draw the histogram of the samples and the outline of the baseline's."""
        samples = shown[0]
        edges = np.linspace(low, high, _bins(samples, low, high) + 1)
        counts, _ = np.histogram(samples[samples <= high], edges)
        ghost = np.zeros(len(counts))
        if self._baseline is not None and len(shown[1]) >= FEW_SAMPLES:
            ghost, _ = np.histogram(shown[1][shown[1] <= high], edges)
            # Both are shares of their own samples, or the longer measurement would dwarf the other.
            ghost = ghost * (len(samples) / max(len(shown[1]), 1))
        scale = width / max(counts.max(), ghost.max(), 1)
        self.item.addItem(
            pg.BarGraphItem(
                x0=np.full(len(counts), start), x1=start + counts * scale, y0=edges[:-1],
                y1=edges[1:], brush=self.tint("plot_1", 0.55), pen=self.pen("plot_background", 1),
            )
        )  # fmt: skip
        foot = pg.PlotDataItem([start, start], [low, high], pen=self.pen("border_strong", 1))
        self.item.addItem(foot)
        if ghost.any():
            there = np.flatnonzero(ghost)
            part = slice(int(there[0]), int(there[-1]) + 1)
            outline_x = start + np.concatenate([[0], np.repeat(ghost[part], 2), [0]]) * scale
            outline_y = np.repeat(edges[part.start : part.stop + 1], 2)
            self.item.plot(outline_x, outline_y, pen=self.pen("muted", 1.5, dashed=True))

    def _draw_baseline(self, factor: float, *, above: bool) -> None:
        if self._baseline is None:
            return
        middle = self._baseline.median_ms * factor
        if self._floor:
            self.band((middle / (1 + self._floor), middle * (1 + self._floor)), "muted", 0.22)
        self.level(middle, "baseline", "muted", dashed=True, above=above)


def _ticks(count: int) -> list[tuple[int, str]]:
    """Return ticks at round numbers of samples; the histogram beside them has none."""
    step = 1
    while count / step > 4:
        step *= 5 if str(step)[0] == "1" else 2
    return [(value, str(value)) for value in range(step, count + 1, step)]


def _range(series: list[np.ndarray]) -> tuple[float, float]:
    lows, highs = [], []
    for samples in series:
        values = samples.tolist()
        first, third = quantile(values, 0.25), quantile(values, 0.75)
        # One late sample must not squeeze all others into a single bar.
        reach = third + 8 * max(third - first, abs(third) * 0.01)
        lows.append(float(samples.min()))
        highs.append(min(float(samples.max()), reach))
    low, high = min(lows), max(highs)
    if high <= low:
        pad = abs(low) * 0.01 or 1e-9
        return low - pad, high + pad
    return low, high


def _bins(samples: np.ndarray, low: float, high: float) -> int:
    values = samples.tolist()
    width = 2 * (quantile(values, 0.75) - quantile(values, 0.25)) / len(values) ** (1 / 3)
    wanted = (high - low) / width if width > 0 else 20
    return int(min(max(wanted, 12), 120))
