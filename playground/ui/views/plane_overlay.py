"""What moves over a tile map: footprints of programs, steps, outlines and the element hovered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

if TYPE_CHECKING:
    from playground.ui.theme import Theme
    from playground.ui.views.plane_canvas import PlaneCanvas
    from playground.ui.views.plane_footprint import FootprintShape

_Style = tuple[QBrush, QPen]


class PlaneOverlay:
    """Draws what changes while the plane itself stays as it is."""

    def __init__(self, canvas: PlaneCanvas) -> None:
        self._canvas = canvas

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Draw footprint, step, outlines, the element hovered and the mark of the focus."""
        canvas = self._canvas
        painter.save()
        painter.setClipRect(area)
        footprint = self._in_view()
        if canvas.step is not None:
            self._paint_scrim(painter, area)
            if footprint is not None:
                painter.setOpacity(0.55)
                self._paint_shape(painter, area, footprint, filled=False)
                painter.setOpacity(1.0)
            self._paint_shape(painter, area, canvas.step, filled=True)
        elif footprint is not None:
            if not canvas.preview:
                self._paint_scrim(painter, area)
            self._paint_shape(painter, area, footprint, filled=not canvas.preview)
        self._paint_outlines(painter, area)
        self._paint_hover(painter)
        painter.restore()
        if canvas.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._canvas.theme.color("accent"), 1))
            painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))

    def _in_view(self) -> FootprintShape | None:
        view = QRectF(self._canvas.visible())
        for shape in reversed(self._canvas.footprints):
            if shape.placed.rect.contains(view):
                return shape
        return self._canvas.footprints[0] if self._canvas.footprints else None

    def _paint_scrim(self, painter: QPainter, area: QRectF) -> None:
        scrim = self._canvas.theme.color("plot_background")
        scrim.setAlphaF(0.62)
        # Not over the rulers, which stand beside a plane smaller than the view.
        plane = QRectF(0, 0, self._canvas.columns, self._canvas.rows)
        painter.fillRect(self._canvas.target(plane).intersected(area), scrim)

    def _paint_shape(
        self, painter: QPainter, area: QRectF, shape: FootprintShape, *, filled: bool
    ) -> None:
        if shape.image is not None:
            painter.save()
            painter.setOpacity(painter.opacity() * (0.85 if filled else 0.5))
            painter.drawImage(self._canvas.target(shape.placed.rect), shape.image)
            painter.restore()
            return
        stores, loads = footprint_styles(self._canvas.theme)
        halo = QPen(self._canvas.theme.color("plot_background"), 3.5)
        for rects, (brush, pen) in ((shape.stores, stores), (shape.loads, loads)):
            for rect in rects:
                target = self._canvas.target(rect).adjusted(0.5, 0.5, -0.5, -0.5)
                # A footprint thinner than a pixel must still be seen.
                target.setWidth(max(target.width(), 1.0))
                target.setHeight(max(target.height(), 1.0))
                if not target.intersects(area):
                    continue
                if not filled and len(rects) < 200:
                    # On colours of any lightness a line shows only beside another one.
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.setPen(halo)
                    painter.drawRect(target)
                painter.setPen(pen)
                painter.setBrush(brush if filled else Qt.BrushStyle.NoBrush)
                painter.drawRect(target)

    def _paint_outlines(self, painter: QPainter, area: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for width, own in ((4.0, False), (2.0, True)):
            for rect, token in self._canvas.outlines:
                target = self._canvas.target(rect)
                # Around a program of a pixel or two, a frame that can be seen.
                grow = max(3.0 - min(target.width(), target.height()), 0.0) / 2
                target.adjust(-grow, -grow, grow, grow)
                if target.intersects(area):
                    painter.setPen(
                        QPen(self._canvas.theme.color(token if own else "plot_background"), width)
                    )
                    painter.drawRect(target)

    def _paint_hover(self, painter: QPainter) -> None:
        if self._canvas.hover is None:
            return
        row, column = self._canvas.hover
        cell = self._canvas.target(QRectF(column, row, 1, 1))
        if cell.width() >= 3 and cell.height() >= 3:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._canvas.theme.color("plot_background"), 3))
            painter.drawRect(cell)
            painter.setPen(QPen(self._canvas.theme.color("text"), 1))
            painter.drawRect(cell)


def footprint_styles(theme: Theme) -> tuple[_Style, _Style]:
    """Return brush and pen of a program's stores (filled) and of its loads (hatched, dashed)."""
    store, load = theme.color("accent"), theme.color("plot_2")
    fill = QColor(store)
    fill.setAlphaF(0.72)
    return (
        (QBrush(fill), QPen(theme.color("text"), 1.5)),
        (QBrush(load, Qt.BrushStyle.FDiagPattern), QPen(load, 1.5, Qt.PenStyle.DashLine)),
    )
