"""The samples of one measurement: their histogram, each one as a tick, and the baseline's ghost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg

from playground.model.statistics import quantile
from playground.ui.views.formatting import measurement_text, time_unit
from playground.ui.views.plot_style import ThemedPlot

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.model.measurement import Measurement
    from playground.ui.theme import Theme


FEW_SAMPLES = 5
"""Fewer samples than this are shown as points: bars would invent a distribution."""


class SamplesPlot(ThemedPlot):
    """Bars (points, if few) for the samples, a line and a band for the median and its interval."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("timings.samples", "Distribution of the samples", theme, parent)
        self._measurement: Measurement | None = None
        self._baseline: Measurement | None = None
        self.beyond = 0
        self._middle = 0.0
        self.setMouseEnabled(False, False)
        self.recolour()

    def show_samples(self, measurement: Measurement | None, baseline: Measurement | None) -> None:
        """Draw `measurement`, with `baseline` as an outline behind it."""
        self._measurement, self._baseline = measurement, baseline
        self._draw()

    def recolour(self) -> None:
        """Redraw in the theme's colours."""
        super().recolour()
        self._draw()

    def _draw(self) -> None:
        self.item.clear()
        measurement = self._measurement
        if measurement is None or not measurement.samples_ms:
            self.label_axes("samples", "time")
            return
        unit, factor = time_unit(measurement.median_ms)
        samples = np.asarray(measurement.samples_ms) * factor
        shown = [samples]
        if self._baseline is not None:
            shown.append(np.asarray(self._baseline.samples_ms) * factor)
        low, high = self._range(shown)
        self._middle = (low + high) / 2
        self.beyond = int((samples > high).sum())
        if len(samples) < FEW_SAMPLES:
            top = self._draw_points(shown)
        else:
            top = self._draw_bars(shown, low, high)
        if len(samples) > 1:
            self._draw_band(measurement, factor)
        self._line(measurement.median_ms * factor, self.pen("plot_2", 2.0), "median", 0.93)
        self.label_axes("samples", f"time ({unit})")
        self.setXRange(low, high, padding=0.06 if len(samples) < FEW_SAMPLES else 0.02)
        self.setYRange(-top * 0.12, top * 1.18, padding=0)
        beyond = f" {self.beyond} slower samples lie beyond the axis." if self.beyond else ""
        self.setAccessibleDescription(measurement_text(measurement) + beyond)

    def _draw_points(self, shown: list[np.ndarray]) -> float:
        """Draw each sample as a point of its own: so few have no distribution."""
        size = self.fontMetrics().height() * 0.6
        looks = (("plot_1", "o", True), ("muted", "d", False))
        for samples, (token, symbol, filled) in zip(shown, looks, strict=False):
            self.item.addItem(
                pg.ScatterPlotItem(
                    x=samples, y=np.full(len(samples), 0.5), size=size, symbol=symbol,
                    brush=self.tint(token, 0.8) if filled else None, pen=self.pen(token),
                )
            )  # fmt: skip
        if self._baseline is not None:
            self._draw_baseline(time_unit(self._median())[1])
        self.item.getAxis("left").setTicks([[]])
        return 1.0

    def _draw_bars(self, shown: list[np.ndarray], low: float, high: float) -> float:
        """Draw the histogram of the samples and the outline of the baseline's."""
        samples = shown[0]
        self.item.getAxis("left").setTicks(None)
        edges = np.linspace(low, high, self._bins(samples, low, high) + 1)
        counts, _ = np.histogram(samples[samples <= high], edges)
        self.item.addItem(
            pg.BarGraphItem(
                x0=edges[:-1], x1=edges[1:], height=counts,
                brush=self.tint("plot_1", 0.55), pen=self.pen("plot_background", 1),
            )
        )  # fmt: skip
        top = float(max(counts.max(), 1))
        if self._baseline is not None:
            ghost, _ = np.histogram(shown[1][shown[1] <= high], edges)
            # Both are shares of their own samples, or the longer measurement would dwarf the other.
            ghost = ghost * (len(samples) / max(len(shown[1]), 1))
            self.item.plot(edges, ghost, stepMode="center", pen=self.pen("muted", 1.5, dashed=True))
            top = max(top, float(ghost.max()))
            self._draw_baseline(time_unit(self._median())[1])
        self._draw_rug(samples[samples <= high], top)
        return top

    def _median(self) -> float:
        return self._measurement.median_ms if self._measurement is not None else 0.0

    def _draw_baseline(self, factor: float) -> None:
        if self._baseline is not None:
            middle = self._baseline.median_ms * factor
            self._line(middle, self.pen("muted", 1.5, dashed=True), "baseline", 0.78)

    def _draw_band(self, measurement: Measurement, factor: float) -> None:
        bounds = tuple(value * factor for value in measurement.interval_ms)
        band = pg.LinearRegionItem(
            bounds, movable=False, brush=self.tint("plot_2", 0.28), pen=self.pen("plot_2", 0.5)
        )
        band.setZValue(5)
        self.item.addItem(band)

    def _line(self, x: float, pen: object, text: str, height: float) -> None:
        token = "plot_2" if text == "median" else "muted"
        # The label stands on the side that has room for it.
        side = 1 if x > self._middle else 0
        line = pg.InfiniteLine(
            x, pen=pen, label=text,
            labelOpts={
                "position": height, "color": self.theme.color(token), "movable": False,
                "fill": self.tint("plot_background", 0.85), "anchors": [(side, 0.5), (side, 0.5)],
            },
        )  # fmt: skip
        line.setZValue(8)
        self.item.addItem(line)

    def _draw_rug(self, samples: np.ndarray, top: float) -> None:
        x = np.repeat(samples, 2)
        y = np.tile([-top * 0.03, -top * 0.09], len(samples))
        self.item.plot(x, y, connect="pairs", pen=pg.mkPen(self.tint("plot_1", 0.6), width=1))

    @staticmethod
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

    @staticmethod
    def _bins(samples: np.ndarray, low: float, high: float) -> int:
        values = samples.tolist()
        width = 2 * (quantile(values, 0.75) - quantile(values, 0.25)) / len(values) ** (1 / 3)
        wanted = (high - low) / width if width > 0 else 20
        return int(min(max(wanted, 12), 60))
