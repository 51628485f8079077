"""How the canvas of a tensor is drawn: pictures, borders, labels, footprints and rulers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen

from playground.ui.views.marks import blend
from playground.ui.views.plane_marks import paint_mark

if TYPE_CHECKING:
    from playground.ui.theme import Theme
    from playground.ui.views.plane_canvas import PlaneCanvas
    from playground.ui.views.plane_image import FootprintShape, PlaneImage


class PlanePainting:
    """Draws what a canvas shows, in the theme's colours."""

    def __init__(self, canvas: PlaneCanvas, theme: Theme) -> None:
        self._canvas = canvas
        self._theme = theme

    def paint(self, painter: QPainter) -> None:
        """Draw pictures, overlays and rulers."""
        canvas, theme = self._canvas, self._theme
        painter.setFont(canvas.font())
        painter.fillRect(canvas.rect(), theme.color("plot_background"))
        if not canvas.rows:
            return
        area = canvas.plot_area()
        corner, end = (
            self._canvas.to_widget(0, 0),
            self._canvas.to_widget(self._canvas.rows, self._canvas.columns),
        )
        plane = QRectF(corner, end).intersected(area)
        painter.save()
        painter.setClipRect(area)
        self._paint_pictures(painter, plane)
        self._paint_lines(painter, area)
        self._paint_footprint(painter, area)
        self._paint_labels(painter, area)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("border_strong"), 1))
        painter.drawRect(QRectF(corner, end).adjusted(-0.5, -0.5, 0.5, 0.5))
        self._paint_hover(painter)
        painter.restore()
        self._paint_rulers(painter, area)

    def _paint_pictures(self, painter: QPainter, plane: QRectF) -> None:
        detail = self._canvas.detail
        pictures = [p for p in (self._canvas.overview, detail) if p is not None]
        if detail is not None and detail.placed.rect.contains(QRectF(self._canvas.visible())):
            pictures = [detail]
        for picture in pictures:
            if picture.unwritten is not None:
                # The hatching lies under what is transparent, also over a coarser picture.
                hole = self._canvas.target(picture.unwritten).intersected(plane)
                painter.fillRect(hole, hatch_ground(self._theme))
                hatching = QBrush(self._theme.color("bad"), Qt.BrushStyle.BDiagPattern)
                painter.fillRect(hole, hatching)
            self._draw_image(painter, picture, picture.image, plane)
        for bit, mark in pictures[-1].marks if pictures else ():
            sharpest = pictures[-1]

            def draw(layer: QPainter, shown: PlaneImage = sharpest, image: QImage = mark) -> None:
                self._draw_image(layer, shown, image, plane)

            paint_mark(painter, self._theme, bit, draw)

    def _draw_image(
        self, painter: QPainter, picture: PlaneImage, image: QImage, plane: QRectF
    ) -> None:
        place = picture.placed
        whole = QRectF(
            place.column, place.row, image.width() * place.across, image.height() * place.down
        )
        shown = QRectF(self._canvas.visible()).intersected(place.rect)
        if shown.isEmpty():
            return
        # Only the cells in view are scaled; the last row and column of cells may be cut short.
        left = math.floor((shown.left() - whole.left()) / place.across)
        top = math.floor((shown.top() - whole.top()) / place.down)
        right = min(math.ceil((shown.right() - whole.left()) / place.across), image.width())
        bottom = min(math.ceil((shown.bottom() - whole.top()) / place.down), image.height())
        target = self._canvas.target(
            QRectF(
                whole.left() + left * place.across, whole.top() + top * place.down,
                (right - left) * place.across, (bottom - top) * place.down,
            )
        )  # fmt: skip
        painter.save()
        painter.setClipRect(plane, Qt.ClipOperation.IntersectClip)
        smaller = self._canvas.scale_x * place.across * self._canvas.devicePixelRatioF() < 0.75
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smaller)
        painter.drawImage(target, image, QRectF(left, top, right - left, bottom - top))
        painter.restore()

    def _sharpest(self) -> PlaneImage | None:
        detail = self._canvas.detail
        if detail is not None and detail.placed.rect.intersects(QRectF(self._canvas.visible())):
            return detail
        return self._canvas.overview

    def _paint_lines(self, painter: QPainter, area: QRectF) -> None:
        canvas = self._canvas
        picture = self._sharpest()
        corner, end = canvas.to_widget(0, 0), self._end()
        left, top = max(corner.x(), area.left()), max(corner.y(), area.top())
        if min(canvas.scale_x, canvas.scale_y) >= 9.0:
            shown = canvas.visible()
            columns = (shown.left() + index for index in range(shown.width() + 1))
            rows = (shown.top() + index for index in range(shown.height() + 1))
            across, down = canvas.scale_x, canvas.scale_y
            lines = [QLineF(x, top, x, end.y()) for x in (corner.x() + c * across for c in columns)]
            lines += [QLineF(left, y, end.x(), y) for y in (corner.y() + r * down for r in rows)]
            self._draw_lines(painter, lines, "text", 0.16)
        if picture is None or not picture.lines:
            return
        window = QRectF(left, top, end.x() - left, end.y() - top)
        lines = [self._clipped(line, corner, window) for line in picture.lines]
        # Borders closer than a few pixels would cover the tiles they separate.
        dense = len(lines) > max(area.width(), area.height()) / 3
        self._draw_lines(painter, lines, "plot_background", 0.35 if dense else 0.85)

    def _draw_lines(
        self, painter: QPainter, lines: list[QLineF], token: str, opacity: float
    ) -> None:
        colour = self._theme.color(token)
        colour.setAlphaF(opacity)
        # A cosmetic pen draws plain lines, many times quicker than strokes scaled to the screen.
        pen = QPen(colour, 1)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawLines([line for line in lines if line.dx() or line.dy()])

    def _clipped(self, line: QLineF, corner: QPointF, window: QRectF) -> QLineF:
        across, down = self._canvas.scale_x, self._canvas.scale_y
        x1, x2 = corner.x() + line.x1() * across, corner.x() + line.x2() * across
        y1, y2 = corner.y() + line.y1() * down, corner.y() + line.y2() * down
        if x1 == x2:
            y1, y2 = max(y1, window.top()), min(y2, window.bottom())
            inside = window.left() <= x1 <= window.right() and y1 < y2
        else:
            x1, x2 = max(x1, window.left()), min(x2, window.right())
            inside = window.top() <= y1 <= window.bottom() and x1 < x2
        return QLineF(x1, y1, x2, y2) if inside else QLineF()

    def _end(self) -> QPointF:
        area, end = (
            self._canvas.plot_area(),
            self._canvas.to_widget(self._canvas.rows, self._canvas.columns),
        )
        return QPointF(min(end.x(), area.right()), min(end.y(), area.bottom()))

    def _paint_labels(self, painter: QPainter, area: QRectF) -> None:
        picture = self._sharpest()
        if picture is None:
            return
        metrics = self._canvas.fontMetrics()
        for rect, program in picture.labels:
            target = self._canvas.target(rect).intersected(area)
            text = str(program)
            width = metrics.horizontalAdvance(text) + 6
            if target.width() < width + 4 or target.height() < metrics.height() + 2:
                continue
            box = QRectF(0, 0, width, metrics.height())
            box.moveCenter(target.center())
            ground = self._theme.color("plot_background")
            ground.setAlphaF(0.78)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(self._theme.color("text"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_footprint(self, painter: QPainter, area: QRectF) -> None:
        shape = self._footprint_in_view()
        if shape is None:
            return
        scrim = self._theme.color("plot_background")
        scrim.setAlphaF(0.62)
        painter.fillRect(area, scrim)
        if shape.image is not None:
            painter.setOpacity(0.85)
            painter.drawImage(self._canvas.target(shape.placed.rect), shape.image)
            painter.setOpacity(1.0)
            return
        stores, loads = footprint_styles(self._theme)
        for rects, (brush, pen) in ((shape.stores, stores), (shape.loads, loads)):
            painter.setPen(pen)
            painter.setBrush(brush)
            for rect in rects:
                target = self._canvas.target(rect).adjusted(0.5, 0.5, -0.5, -0.5)
                # A footprint thinner than a pixel must still be seen.
                target.setWidth(max(target.width(), 1.0))
                target.setHeight(max(target.height(), 1.0))
                if target.intersects(area):
                    painter.drawRect(target)

    def _footprint_in_view(self) -> FootprintShape | None:
        view = QRectF(self._canvas.visible())
        for shape in reversed(self._canvas.footprints):
            if shape.placed.rect.contains(view):
                return shape
        return self._canvas.footprints[0] if self._canvas.footprints else None

    def _paint_hover(self, painter: QPainter) -> None:
        if self._canvas.hover is None:
            return
        row, column = self._canvas.hover
        cell = self._canvas.target(QRectF(column, row, 1, 1))
        if cell.width() >= 3 and cell.height() >= 3:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("plot_background"), 3))
            painter.drawRect(cell)
            painter.setPen(QPen(self._theme.color("text"), 1))
            painter.drawRect(cell)

    def _paint_rulers(self, painter: QPainter, area: QRectF) -> None:
        theme, metrics = self._theme, self._canvas.fontMetrics()
        painter.setPen(theme.color("muted"))
        painter.fillRect(
            QRectF(0, 0, area.left(), self._canvas.height()), theme.color("plot_background")
        )
        painter.fillRect(
            QRectF(0, 0, self._canvas.width(), area.top()), theme.color("plot_background")
        )
        shown = self._canvas.visible()
        # A plane smaller than the view stands in its middle, and its rulers beside it.
        corner = self._canvas.to_widget(0, 0)
        beside, above = max(area.left(), corner.x()), max(area.top(), corner.y())
        painter.setPen(theme.color("muted"))
        tick = metrics.height() * 0.3
        widest = metrics.horizontalAdvance(str(self._canvas.columns)) + metrics.height()
        step = nice_step(widest / self._canvas.scale_x)
        for column in range(-(-shown.left() // step) * step, shown.right() + 1, step):
            x = self._canvas.to_widget(0, column).x()
            painter.drawLine(QPointF(x, above - tick), QPointF(x, above))
            box = QRectF(x + 2, above - area.top(), widest, area.top() - tick * 0.5)
            if box.right() <= self._canvas.width() + metrics.height():
                painter.drawText(
                    box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, str(column)
                )
        step = nice_step(metrics.height() * 2.0 / self._canvas.scale_y)
        for row in range(-(-shown.top() // step) * step, shown.bottom() + 1, step):
            y = self._canvas.to_widget(row, 0).y()
            painter.drawLine(QPointF(beside - tick, y), QPointF(beside, y))
            top = max(y - metrics.height() / 2, area.top() - metrics.height() / 4)
            if top + metrics.height() * 0.9 > self._canvas.height():
                continue  # half a number is none
            box = QRectF(beside - area.left(), top, area.left() - tick * 1.4, metrics.height())
            text = str(row * self._canvas.columns if self._canvas.folded else row)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        if self._canvas.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))


def hatch_ground(theme: Theme) -> QColor:
    """Return the ground under the hatching of unwritten elements."""
    return blend(theme.color("bad"), theme.color("plot_background"), 0.22)


def footprint_styles(theme: Theme) -> tuple[tuple[QBrush, QPen], tuple[QBrush, QPen]]:
    """Return brush and pen of a program's stores (filled) and of its loads (hatched, dashed)."""
    store, load = theme.color("accent"), theme.color("plot_2")
    fill = QColor(store)
    fill.setAlphaF(0.72)
    return (
        (QBrush(fill), QPen(theme.color("text"), 1.5)),
        (QBrush(load, Qt.BrushStyle.FDiagPattern), QPen(load, 1.5, Qt.PenStyle.DashLine)),
    )


def nice_step(least: float) -> int:
    """Return the smallest power of two that is at least `least`: kernels count in those."""
    step = 1
    while step < least:
        step *= 2
    return step
