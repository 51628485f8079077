"""pyqtgraph plots in the theme's colours and the window's font, with times in one unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtGui import QColor, QFont, QPen

from playground.ui.views.plot_pointer import PlotPointer

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.theme import Theme


class ThemedPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """A plot without pyqtgraph's own menu and buttons; `recolour` follows the theme."""

    def __init__(
        self,
        name: str,
        title: str,
        theme: Theme,
        parent: QWidget | None = None,
        axes: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(parent, axisItems=axes)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.theme = theme
        self.item: Any = self.getPlotItem()
        self.item.setMenuEnabled(False)
        self.item.hideButtons()
        self.setAntialiasing(True)
        self.setFrameShape(self.Shape.NoFrame)
        height = self.fontMetrics().height()
        self.setMinimumHeight(height * 8)
        self.text_points = max(self.font().pointSizeF() * 0.9, 6.0)
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=-height // 4)
        self.set_text_points(self.text_points)
        # What a view shows is for it to say; the pointer shows parts of that.
        self.setMouseEnabled(False, False)
        self.pointer = PlotPointer(self)
        theme.changed.connect(self.recolour)

    def set_text_points(self, points: float) -> None:
        """Write ticks and the axes' names in letters of this size."""
        self.text_points = points
        font = QFont(self.font())
        font.setPointSizeF(points)
        for side in ("left", "bottom"):
            self.item.getAxis(side).setStyle(tickFont=font)

    def label_axes(self, left: str, bottom: str) -> None:
        """Name both axes, with their units."""
        colour = self.theme.color("muted").name()
        size = f"{self.text_points:.1f}pt"
        style = {"color": colour, "font-size": size}
        self.item.setLabel("left", left, **style)
        self.item.setLabel("bottom", bottom, **style)
        for side in ("left", "bottom"):
            # A label of another length than before is else only centred when the axis is resized.
            self.item.getAxis(side).resizeEvent()

    def recolour(self) -> None:
        """Take the theme's colours; subclasses redraw their data, too."""
        self.setBackground(self.theme.color("plot_background"))
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(self.theme.color("border_strong")))
            axis.setTextPen(pg.mkPen(self.theme.color("muted")))
        self.item.showGrid(x=True, y=True, alpha=0.18)

    def band(self, bounds: tuple[float, float], token: str, share: float) -> Any:
        """Draw a band between two heights, behind what is plotted."""
        edge = pg.mkPen(self.tint(token, min(2 * share, 1.0)), width=0.7)
        band = pg.LinearRegionItem(
            bounds, orientation="horizontal", movable=False, brush=self.tint(token, share), pen=edge
        )
        band.setZValue(-5)
        self.item.addItem(band)
        return band

    def level(
        self, y: float, text: str, token: str, *, dashed: bool = False, above: bool = True
    ) -> Any:
        """Draw a horizontal line with its name at the right end, above or below it."""
        anchor = (1, 0.9 if above else 0.1)
        line = pg.InfiniteLine(
            y, angle=0, pen=self.pen(token, 1.5 if dashed else 2.0, dashed=dashed), label=text,
            labelOpts={
                "position": 0.99, "color": self.theme.color(token), "movable": False,
                "fill": self.tint("plot_background", 0.85), "anchors": [anchor, anchor],
            },
        )  # fmt: skip
        line.setZValue(8)
        self.item.addItem(line)
        return line

    def pen(self, token: str, width: float = 1.5, *, dashed: bool = False) -> QPen:
        """Return a pen of constant width on screen."""
        pen: QPen = pg.mkPen(self.theme.color(token), width=width)
        if dashed:
            pen.setDashPattern([4.0, 3.0])
        return pen

    def tint(self, token: str, share: float) -> QColor:
        """Return a colour of the theme with opacity `share`."""
        colour = self.theme.color(token)
        colour.setAlphaF(share)
        return colour


class DrawnPlot(ThemedPlot):
    """A plot that is drawn anew as a whole: for other data, and for another theme.

    Subclasses keep what they show and draw it in `draw`; `points` is theirs for what the pointer
    finds, empty before each drawing. They call `recolour` once they are made.
    """

    points: Any = None

    def recolour(self) -> None:
        """Redraw in the theme's colours."""
        super().recolour()
        self.redraw()

    def redraw(self) -> None:
        """Draw what is shown on an empty plot."""
        self.item.clear()
        self.points = None
        self.draw()

    def draw(self) -> None:
        """Draw on the empty plot."""
        raise NotImplementedError


def names_above(one: float, other: float | None, low: float, high: float) -> tuple[bool, bool]:
    """Tell for two named lines whether each one's name stands above it, so that none is cut.

    Names of lines close together stand on the sides that are turned away from each other.
    """
    room = 0.14 * (high - low)
    if other is not None and abs(one - other) < 2 * room:
        return one >= other, one < other
    return one < high - room, other is None or other < high - room
