"""How a tile map is drawn: pictures, borders, labels and rulers, kept while only marks move."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPaintEngine, QPainter, QPen, QPixmap

from playground.ui.views.marks import blend
from playground.ui.views.plane_marks import paint_mark
from playground.ui.views.plane_overlay import PlaneOverlay
from playground.ui.views.plane_rulers import paint_rulers

if TYPE_CHECKING:
    from playground.ui.theme import Theme
    from playground.ui.views.plane_canvas import PlaneCanvas
    from playground.ui.views.plane_image import PlaneImage

GRID_CELL = 9.0
"""From this size in pixels on, each element is drawn as a cell of its own."""


class PlanePainting:
    """Draws what a canvas shows, in the theme's colours.

    What does not change while the cursor or the steps of a program move is drawn once and kept.
    """

    def __init__(self, canvas: PlaneCanvas) -> None:
        self._canvas = canvas
        self._overlay = PlaneOverlay(canvas)
        self._kept: tuple[object, QPixmap] | None = None

    def paint(self, painter: QPainter) -> None:
        """Draw pictures, overlays and rulers."""
        canvas, theme = self._canvas, self._canvas.theme
        painter.setFont(canvas.font())
        if not canvas.rows:
            painter.fillRect(canvas.rect(), theme.color("plot_background"))
            return
        if painter.paintEngine().type() in (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf):
            # A picture of lines and words is to stay one.
            self._paint_ground(painter)
        else:
            painter.drawPixmap(0, 0, self._ground())
        self._overlay.paint(painter, canvas.plot_area())

    def _ground(self) -> QPixmap:
        canvas = self._canvas
        ratio = canvas.devicePixelRatioF()
        key = (
            canvas.size(), ratio, canvas.origin.toTuple(), canvas.scale_x, canvas.scale_y,
            canvas.rows, canvas.columns, canvas.folded, canvas.overview, canvas.detail,
            self._canvas.theme.name, canvas.font().key(), canvas.cell_text,
        )  # fmt: skip
        if self._kept is not None and self._kept[0] == key:
            return self._kept[1]
        ground = QPixmap(canvas.size() * ratio)
        ground.setDevicePixelRatio(ratio)
        painter = QPainter(ground)
        painter.setFont(canvas.font())
        self._paint_ground(painter)
        painter.end()
        self._kept = (key, ground)
        return ground

    def _paint_ground(self, painter: QPainter) -> None:
        canvas, theme = self._canvas, self._canvas.theme
        painter.fillRect(canvas.rect(), theme.color("plot_background"))
        area = canvas.plot_area()
        corner, end = canvas.to_widget(0, 0), canvas.to_widget(canvas.rows, canvas.columns)
        painter.save()
        painter.setClipRect(area)
        self._paint_pictures(painter, QRectF(corner, end).intersected(area))
        self._paint_lines(painter, area)
        if not self._paint_cells(painter, area):
            self._paint_labels(painter, area)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("border_strong"), 1))
        painter.drawRect(QRectF(corner, end).adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.restore()
        if not canvas.bare:
            paint_rulers(painter, canvas, theme)

    def _paint_pictures(self, painter: QPainter, plane: QRectF) -> None:
        detail = self._canvas.detail
        pictures = [p for p in (self._canvas.overview, detail) if p is not None]
        if detail is not None and detail.placed.rect.contains(QRectF(self._canvas.visible())):
            pictures = [detail]
        for picture in pictures:
            if picture.unwritten is not None:
                # The hatching lies under what is transparent, also over a coarser picture.
                hole = self._canvas.target(picture.unwritten).intersected(plane)
                painter.fillRect(hole, hatch_ground(self._canvas.theme))
                hatching = QBrush(self._canvas.theme.color("bad"), Qt.BrushStyle.BDiagPattern)
                painter.fillRect(hole, hatching)
            self._draw_image(painter, picture, picture.image, plane)
        for bit, mark in pictures[-1].marks if pictures else ():
            sharpest = pictures[-1]

            def draw(layer: QPainter, shown: PlaneImage = sharpest, image: QImage = mark) -> None:
                self._draw_image(layer, shown, image, plane)

            paint_mark(painter, self._canvas.theme, bit, draw)

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
        cells = QSize(right - left, bottom - top)
        pixels = (target.size() * self._canvas.devicePixelRatioF()).toSize()
        fitting = cells.boundedTo(pixels.expandedTo(QSize(1, 1)))
        if fitting == cells:
            painter.drawImage(target, image, QRectF(left, top, cells.width(), cells.height()))
        else:
            # More cells than pixels: their mean, so that no row or column is passed over.
            shown_cells = image.copy(left, top, cells.width(), cells.height()).scaled(
                fitting,
                Qt.AspectRatioMode.IgnoreAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
            painter.drawImage(target, shown_cells, QRectF(shown_cells.rect()))
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
        if min(canvas.scale_x, canvas.scale_y) >= GRID_CELL:
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
        colour = self._canvas.theme.color(token)
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

    def _paint_cells(self, painter: QPainter, area: QRectF) -> bool:
        """Write each element's index and value into its cell, where there is room for both."""
        canvas, picture = self._canvas, self._sharpest()
        metrics, shown = canvas.fontMetrics(), canvas.visible()
        if picture is None or not picture.placed.exact or shown.isEmpty():
            return False
        last = canvas.element_text(shown.bottom(), shown.right())
        room = max(metrics.horizontalAdvance(last), metrics.horizontalAdvance("00000")) + 4
        if canvas.scale_x < room or canvas.scale_y < 2 * metrics.height():
            return False
        place = picture.placed
        ground = self._canvas.theme.color("plot_background")
        ground.setAlphaF(0.72)
        box = QRectF(0, 0, room, 2 * metrics.height() - 2)
        for row in range(shown.top(), shown.bottom() + 1):
            for column in range(shown.left(), shown.right() + 1):
                at = (row - place.row, column - place.column)
                text = canvas.element_text(row, column)
                if not text or not self._within(at, picture.values.shape):
                    continue
                cell = canvas.target(QRectF(column, row, 1, 1))
                box.moveCenter(cell.center())
                value = int(picture.values[at])
                painter.fillRect(box, ground)
                painter.setPen(self._canvas.theme.color("muted"))
                upper = QRectF(box.left(), box.top(), box.width(), box.height() / 2)
                painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, text)
                painter.setPen(self._canvas.theme.color("text"))
                lower = upper.translated(0, upper.height())
                painter.drawText(
                    lower, Qt.AlignmentFlag.AlignCenter, "–" if value < 0 else str(value)
                )
        return True

    @staticmethod
    def _within(at: tuple[int, int], shape: tuple[int, ...]) -> bool:
        return 0 <= at[0] < shape[0] and 0 <= at[1] < shape[1]

    def _paint_labels(self, painter: QPainter, area: QRectF) -> None:
        picture = self._sharpest()
        if picture is None:
            return
        metrics = self._canvas.fontMetrics()
        # Tiles of one size have all their labels or none: the widest one decides.
        least = max((metrics.horizontalAdvance(str(n)) for _, n in picture.labels), default=0) + 6
        for rect, program in picture.labels:
            target = self._canvas.target(rect).intersected(area)
            text = str(program)
            if target.width() < least or target.height() < metrics.height() + 2:
                continue
            box = QRectF(0, 0, metrics.horizontalAdvance(text) + 6, metrics.height())
            box.moveCenter(target.center())
            ground = self._canvas.theme.color("plot_background")
            ground.setAlphaF(0.78)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(self._canvas.theme.color("text"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def hatch_ground(theme: Theme) -> QColor:
    """Return the ground under the hatching of unwritten elements."""
    return blend(theme.color("bad"), theme.color("plot_background"), 0.22)
