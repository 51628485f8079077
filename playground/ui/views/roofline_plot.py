"""The roofline drawn: ceilings, the roof over this launch, and every config timed under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QCursor, QPen
from PySide6.QtWidgets import QToolTip

from playground.ui.views.formatting import bytes_text, measurement_text, significant
from playground.ui.views.log_axis import ReadableAxis, plain_tick
from playground.ui.views.plot_style import ThemedPlot
from playground.ui.views.roof_lines import place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QWidget

    from playground.model.roofline import Ceilings, Standing
    from playground.ui.document_roofline import RoofPoint
    from playground.ui.theme import Theme
    from playground.ui.views.roof_lines import RoofLine, RoofPicture

_TOKENS = {
    "roof": "plot_1", "memory": "plot_1", "l2": "plot_3", "arithmetic": "plot_4", "launch": "plot_8"
}  # fmt: skip


class RooflinePlot(ThemedPlot):
    """Log-log; expected ceilings are dashed. `configPicked` carries the config clicked."""

    configPicked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._x, self._y = ReadableAxis("bottom", plain_tick), ReadableAxis("left", plain_tick)
        super().__init__(
            "roofline.plot", "Roofline", theme, parent, {"bottom": self._x, "left": self._y}
        )
        self._picture: RoofPicture | None = None
        self._ceilings: Ceilings | None = None
        self._standing: Standing | None = None
        self._points: tuple[RoofPoint, ...] = ()
        self.scatter: Any = None
        self.scene().sigMouseMoved.connect(self._on_move)
        self.recolour()

    def show_roof(
        self,
        picture: RoofPicture | None,
        ceilings: Ceilings | None,
        standing: Standing | None,
        points: Sequence[RoofPoint],
    ) -> None:
        """Draw a roofline and the configs under it."""
        self._picture, self._ceilings, self._standing = picture, ceilings, standing
        self._points = tuple(points)
        self._draw()

    def recolour(self) -> None:
        """Redraw in the theme's colours."""
        super().recolour()
        self._draw()

    # ------------------------------------------------------------------------------ drawing

    def _draw(self) -> None:
        self.item.clear()
        self.scatter = None
        picture, ceilings = self._picture, self._ceilings
        if picture is None or ceilings is None:
            self.label_axes("", "")
            return
        over_bytes = picture.over == "bytes"
        self._x.show_scale(log=True, text=_bytes_tick if over_bytes else plain_tick)
        self._y.show_scale(log=True, text=plain_tick)
        self.setXRange(*(self._x.at(value) for value in picture.x_range), padding=0)
        self.setYRange(*(self._y.at(value) for value in picture.y_range), padding=0)
        dashed = not ceilings.measured
        self._line(picture.roof, 3.0, dashed=dashed)
        self._shade(picture)
        for line in picture.lines:
            self._line(line, 1.4, dashed=dashed)
            self._label(line)
        self._draw_launch(picture)
        self._draw_points(picture)
        if over_bytes:
            self.label_axes("GB/s", "bytes moved by a launch")
        else:
            self.label_axes("TFLOP/s", "operations of tl.dot per byte moved")
        known = "measured" if ceilings.measured else "expected, not measured"
        text = f"Ceilings of {ceilings.device}, {known}: "
        text += ", ".join(line.text for line in picture.lines)
        if self._standing is not None:
            text += f". The launch is {self._standing.text()}"
        self.setAccessibleDescription(text)

    def _line(self, line: RoofLine, width: float, *, dashed: bool) -> None:
        x = np.array([self._x.at(x) for x, _ in line.points])
        y = np.array([self._y.at(y) for _, y in line.points])
        pen: QPen = self.pen(_TOKENS[line.kind], width, dashed=dashed)
        if line.kind == "roof":
            pen.setColor(self.tint(_TOKENS["roof"], 0.55))
        self.item.plot(x, y, pen=pen)

    def _shade(self, picture: RoofPicture) -> None:
        x = np.array([self._x.at(x) for x, _ in picture.roof.points])
        y = np.array([self._y.at(y) for _, y in picture.roof.points])
        floor = self._y.at(picture.y_range[0])
        self.item.addItem(
            pg.PlotDataItem(x, y, pen=None, fillLevel=floor, brush=self.tint("plot_1", 0.06))
        )

    def _label(self, line: RoofLine) -> None:
        """Write a ceiling's name on it: flat ones at their right end, slanted ones at the left."""
        flat = line.points[0][1] == line.points[-1][1]
        text = pg.TextItem(
            line.text, color=self.theme.color(_TOKENS[line.kind]),
            anchor=(1.01, 0.95) if flat else (-0.04, 0.5),
        )  # fmt: skip
        x0, x1 = self._x.at(line.points[0][0]), self._x.at(line.points[-1][0])
        y0, y1 = self._y.at(line.points[0][1]), self._y.at(line.points[-1][1])
        if flat:
            text.setPos(x1, y1)
        elif line.kind == "l2":
            # Its line lies at the left edge: there is room between it and device memory's only.
            text.setPos(x0 + (x1 - x0) * 0.74, y0 + (y1 - y0) * 0.74)
        else:
            text.setPos(x0 + (x1 - x0) * 0.22, y0 + (y1 - y0) * 0.22)
        text.setZValue(4)
        self.item.addItem(text)

    def _draw_launch(self, picture: RoofPicture) -> None:
        """Draw where the launch stands from side to side, and how far it is from the roof."""
        x, top = self._x.at(picture.x), self._y.at(picture.top(picture.x))
        current = next((point for point in self._points if point.role == "current"), None)
        height = place(current, picture.over)[1] if current is not None else None
        bottom = self._y.at(picture.y_range[0]) if height is None else self._y.at(height)
        self.item.plot([x, x], [bottom, top], pen=self.pen("plot_2", 1.4, dashed=True))
        mark = pg.ScatterPlotItem(
            [x], [top], symbol="t", size=self.fontMetrics().height() * 0.6,
            pen=self.pen("plot_2", 1.5), brush=self.tint("plot_background", 1.0),
        )  # fmt: skip
        mark.setZValue(6)
        self.item.addItem(mark)
        standing = self._standing
        if standing is not None and standing.share is not None:
            label = f"{standing.share * 100:.0f} %"
        else:
            label = "the most it can reach"
        text = pg.TextItem(
            label, color=self.theme.color("plot_2"), anchor=(-0.1, 0.5)
        )  # fmt: skip
        text.setPos(x, (bottom + top) / 2)
        text.setZValue(9)
        self.item.addItem(text)

    def _draw_points(self, picture: RoofPicture) -> None:
        size = self.fontMetrics().height() * 0.6
        looks: dict[str, tuple[str, float, QColor, QPen]] = {
            "current": ("star", size * 1.7, self.tint("plot_2", 1.0), self.pen("text", 1.0)),
            "baseline": ("d", size * 1.2, self.tint("muted", 1.0), self.pen("text", 1.0)),
            "history": ("o", size, self.tint("plot_background", 1.0), self.pen("plot_1", 1.6)),
        }
        self.scatter = pg.ScatterPlotItem(
            hoverable=True, hoverPen=self.pen("text", 2.0), tip=None, size=size
        )
        spots = []
        for point in self._points:
            if picture.over == "intensity" and not point.flops:
                continue
            symbol, wide, brush, pen = looks[point.role]
            x, y = place(point, picture.over)
            spots.append(
                {
                    "pos": (self._x.at(x), self._y.at(y)), "data": point, "symbol": symbol,
                    "size": wide, "brush": brush, "pen": pen,
                }
            )  # fmt: skip
        self.scatter.setData(spots)
        self.scatter.setZValue(10)
        self.scatter.sigHovered.connect(self._on_hover)
        self.scatter.sigClicked.connect(self._on_click)
        self.item.addItem(self.scatter)

    # ------------------------------------------------------------------------------ pointing

    def _on_hover(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if len(points):
            QToolTip.showText(QCursor.pos(), point_text(points[0].data()), self)

    def _on_click(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if len(points):
            self.configPicked.emit(points[0].data().measurement.config)

    def line_at(self, position: Any) -> RoofLine | None:
        """Return the ceiling under a position of the scene, or None."""
        if self._picture is None:
            return None
        spot = self.item.vb.mapSceneToView(position)
        reach = abs(self.item.vb.viewPixelSize()[1]) * self.fontMetrics().height() * 0.5
        best: tuple[float, RoofLine] | None = None
        for line in self._picture.lines:
            xs = [self._x.at(x) for x, _ in line.points]
            ys = [self._y.at(y) for _, y in line.points]
            if xs[0] <= spot.x() <= xs[-1]:
                away = abs(float(np.interp(spot.x(), xs, ys)) - spot.y())
                if away < reach and (best is None or away < best[0]):
                    best = away, line
        return best[1] if best else None

    def _on_move(self, position: Any) -> None:
        if self.scatter is None or self._ceilings is None:
            return
        spot = self.item.vb.mapSceneToView(position)
        if len(self.scatter.pointsAt(spot)):
            return
        line = self.line_at(position)
        if line is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(QCursor.pos(), f"{line.text}\n{source_text(self._ceilings)}", self)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the tooltip with the pointer."""
        QToolTip.hideText()
        super().leaveEvent(event)


def source_text(ceilings: Ceilings) -> str:
    """Return where ceilings come from."""
    known = "measured" if ceilings.measured else "expected, not measured"
    return f"{ceilings.device}, {known}: {ceilings.source.removeprefix('measured here: ')}"


def point_text(point: RoofPoint) -> str:
    """Return all that is known of a config under the roof."""
    lines = [point.measurement.config.label(), measurement_text(point.measurement)]
    if point.role == "baseline":
        lines[0] += " (baseline)"
    figures = f"{significant(point.gbps, 4)} GB/s of {bytes_text(point.bytes_unique)}"
    if point.flops:
        figures += f" · {significant(point.tflops, 4)} TFLOP/s"
    return "\n".join([*lines, figures])


def _bytes_tick(value: float) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= factor * 0.9999:
            return f"{value / factor:.3g} {unit}"
    return f"{value:.3g} B"
