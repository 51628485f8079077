"""A curve over two sizes as a heat map: one cell a pair of sizes, one line at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QColor, QCursor
from PySide6.QtWidgets import QToolTip

from playground.model.colormaps import contrast
from playground.model.problem_sizes import size_text
from playground.ui.views.curve_series import point, row_text, value_text
from playground.ui.views.plot_style import ThemedPlot

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

    from playground.model.curve import Curve, CurveRow
    from playground.ui.theme import Theme


class CurvesHeat(ThemedPlot):
    """Cells coloured by the quantity; `linePicked` carries the line's label when one is clicked."""

    linePicked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("curves.heat", "Heat map over two problem sizes", theme, parent)
        self._curve: Curve | None = None
        self._line, self._quantity, self._title = "", "ms", ""
        self._written = False
        self.scene().sigMouseMoved.connect(self._on_move)
        self.scene().sigMouseClicked.connect(self._on_click)
        self.recolour()

    def show_curve(self, curve: Curve | None, line: str, quantity: str, title: str) -> None:
        """Draw one line of a curve over two sizes."""
        self._curve, self._line, self._quantity, self._title = curve, line, quantity, title
        self._draw()

    def recolour(self) -> None:
        """Redraw in the theme's colours."""
        super().recolour()
        self._draw()

    def _draw(self) -> None:
        self.item.clear()
        curve = self._curve
        if curve is None or len(curve.axes) < 2:
            self.label_axes("", "")
            return
        across, up = curve.axes
        values = np.full((len(up.values), len(across.values)), np.nan)
        for row in curve.of_line(self._line):
            found = point(curve, row, self._quantity)
            place = self._place(row)
            if found is not None and place is not None:
                values[place[1], place[0]] = math.log10(found.value)
        self.item.showGrid(x=False, y=False)
        known = values[np.isfinite(values)]
        if known.size:
            self._draw_cells(curve, values, float(known.min()), float(known.max()))
        self._mark_failed(curve)
        for side, axis in (("bottom", across), ("left", up)):
            step = max(1, math.ceil(len(axis.values) / (10 if side == "bottom" else 14)))
            ticks = [
                (i + 0.5, size_text(v, axis.values[-1]))
                for i, v in enumerate(axis.values)
                if i % step == 0
            ]
            self.item.getAxis(side).setTicks([ticks])
        self.setXRange(0, len(across.values), padding=0.01)
        self.setYRange(0, len(up.values), padding=0.01)
        self.label_axes(up.name, across.name)
        self.setAccessibleDescription(
            f"{self._title}: {known.size} of {values.size} pairs of {across.name} and {up.name}"
        )

    def _draw_cells(self, curve: Curve, values: np.ndarray, low: float, high: float) -> None:
        colours = np.array(self.theme.sequential_colormap(256), np.uint8)
        share = (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)
        known = np.isfinite(values)
        if self._quantity == "ms":
            share = 1 - share  # bright is good, whatever is drawn
        picture = np.zeros((*values.shape, 4), np.uint8)
        index = np.round(np.where(known, share, 0) * 255).astype(int)
        picture[..., :3] = colours[index]
        picture[..., 3] = np.where(known, 255, 0)
        image = pg.ImageItem(picture, axisOrder="row-major")
        self.item.addItem(image)
        box = self.item.vb
        room_up = box.height() / values.shape[0] > 1.2 * self.fontMetrics().height()
        room_across = box.width() / values.shape[1] > 5 * self.fontMetrics().averageCharWidth()
        self._written = room_up and room_across
        if not self._written:
            return
        for (row, column), value in np.ndenumerate(values):
            if not math.isfinite(value):
                continue
            ground = tuple(int(channel) for channel in picture[row, column, :3])
            white = contrast((255, 255, 255), ground) > contrast((20, 20, 20), ground)  # type: ignore[arg-type]
            text = pg.TextItem(
                value_text(10**value, self._quantity, curve).replace(" GB/s", "").replace(
                    " TFLOP/s", ""
                ),
                color=QColor("#ffffff" if white else "#141414"), anchor=(0.5, 0.5),
            )  # fmt: skip
            text.setPos(column + 0.5, row + 0.5)
            self.item.addItem(text)

    def _mark_failed(self, curve: Curve) -> None:
        failed = [
            place
            for row in curve.of_line(self._line)
            if not row.median_ms and (place := self._place(row)) is not None
        ]
        if failed:
            self.item.addItem(
                pg.ScatterPlotItem(
                    x=[x + 0.5 for x, _ in failed], y=[y + 0.5 for _, y in failed], symbol="x",
                    size=self.fontMetrics().height() * 0.7, pen=self.pen("bad"),
                    brush=self.tint("bad", 1.0),
                )
            )  # fmt: skip

    def _place(self, row: CurveRow) -> tuple[int, int] | None:
        if self._curve is None:
            return None
        across, up = self._curve.axes
        sizes = dict(row.sizes)
        try:
            return across.values.index(sizes[across.name]), up.values.index(sizes[up.name])
        except ValueError:
            return None

    # ------------------------------------------------------------------------------ pointing

    def row_at(self, position: QPointF) -> CurveRow | None:
        """Return the row of the cell at a position of the scene, or None."""
        curve = self._curve
        if curve is None or len(curve.axes) < 2:
            return None
        spot = self.item.vb.mapSceneToView(position)
        across, up = curve.axes
        column, row = math.floor(spot.x()), math.floor(spot.y())
        if not (0 <= column < len(across.values) and 0 <= row < len(up.values)):
            return None
        sizes = ((across.name, across.values[column]), (up.name, up.values[row]))
        return curve.row(self._line, sizes)

    def _on_move(self, position: QPointF) -> None:
        row = self.row_at(position)
        if row is None or self._curve is None:
            QToolTip.hideText()
            return
        QToolTip.showText(
            QCursor.pos(), row_text(self._curve, row, self._quantity, self._title), self
        )

    def _on_click(self, event: Any) -> None:
        row = self.row_at(event.scenePos())
        if row is not None:
            self.linePicked.emit(row.line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write the figures into the cells, or not, as there is room."""
        super().resizeEvent(event)
        if getattr(self, "_curve", None) is not None:
            self._draw()

    def leaveEvent(self, event: QEvent | QMouseEvent) -> None:
        """Hide the tooltip with the pointer."""
        QToolTip.hideText()
        super().leaveEvent(event)
