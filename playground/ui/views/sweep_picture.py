"""A painted picture of a sweep: what the pointer is over is named, a click chooses its config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from playground.model.colormaps import contrast
from playground.ui.views.formatting import time_text
from playground.ui.views.sweep_scene import Scene, row_words, speed_colour

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from playground.model.sweep import SweepRow
    from playground.ui.theme import Theme


class SweepPicture(QWidget):
    """Base of the pictures: subclasses draw `scene` and say which row is at a place.

    `rowPicked` carries the row that was clicked. Arrow keys go through `rows_in_order`, and
    Enter picks.
    """

    rowPicked = Signal(object)

    def __init__(self, name: str, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.theme = theme
        self.scene = Scene()
        self.hovered: SweepRow | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        theme.changed.connect(self.show_again)

    def show_scene(self, scene: Scene) -> None:
        """Draw another state of the sweep."""
        self.scene = scene
        if self.hovered is not None and not any(row is self.hovered for row in scene.rows):
            self.hovered = None
        self.show_again()

    def show_again(self) -> None:
        """Draw anew; subclasses drop what they keep drawn."""
        self.update()

    # ------------------------------------------------------------------------------ to be given

    def row_at(self, place: QPointF) -> SweepRow | None:
        """Return the row at a place of the widget."""
        raise NotImplementedError

    def rows_in_order(self) -> list[SweepRow]:
        """Return the rows that arrow keys go through."""
        raise NotImplementedError

    def draw(self, painter: QPainter) -> None:
        """Draw the picture over its ground."""
        raise NotImplementedError

    def words_at(self, place: QPointF) -> str:
        """Return what the tooltip says at a place."""
        row = self.row_at(place)
        return row_words(row, self.scene) if row is not None else ""

    # ------------------------------------------------------------------------------ events

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self.theme.color("plot_background"))
        self.draw(painter)
        if self.hasFocus():
            painter.setPen(QPen(self.theme.color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Name what is under the pointer."""
        self.hover(event.position())
        words = self.words_at(event.position())
        if words:
            QToolTip.showText(event.globalPosition().toPoint(), words, self)
        else:
            QToolTip.hideText()

    def hover(self, place: QPointF) -> None:
        """Mark the row at a place."""
        row = self.row_at(place)
        if row is not self.hovered:
            self.hovered = row
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if row is not None else Qt.CursorShape.ArrowCursor
            )
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the config under the pointer."""
        row = self.row_at(event.position())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self.rowPicked.emit(row)

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        QToolTip.hideText()
        if self.hovered is not None:
            self.hovered = None
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go through the rows with arrows, choose with Enter."""
        rows = self.rows_in_order()
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
        key = Qt.Key(event.key())
        if key in steps and rows:
            at = next((i for i, row in enumerate(rows) if row is self.hovered), -1)
            at = 0 if at < 0 else min(max(at + steps[key], 0), len(rows) - 1)
            self.hovered = rows[at]
            self.setAccessibleDescription(row_words(self.hovered, self.scene))
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.hovered is not None:
            self.rowPicked.emit(self.hovered)
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Return the least size at which something can be read."""
        line = self.fontMetrics().height()
        return QSize(12 * line, 6 * line)

    # ------------------------------------------------------------------------------ drawing

    def small_font(self) -> QFont:
        """Return the font of ticks and figures."""
        font = QFont(self.font())
        font.setPointSizeF(max(font.pointSizeF() * 0.9, 6.0))
        return font

    def draw_scale(self, painter: QPainter, area: QRectF) -> None:
        """Draw the scale of times into a low strip: fast at the left, slow at the right."""
        scene = self.scene
        if scene.fast_ms is None or scene.slow_ms is None:
            return
        painter.setFont(self.small_font())
        metrics = painter.fontMetrics()
        slowest = max(
            (row.median_ms or 0.0 for row in scene.rows if row.status == "correct"), default=0.0
        )
        left = time_text(scene.fast_ms)
        right = time_text(scene.slow_ms) + (" and more" if slowest > scene.slow_ms * 1.001 else "")
        gap = metrics.height() * 0.4
        bar_width = min(max(area.width() - metrics.horizontalAdvance(left + right) - 2 * gap, 20.0),
                        metrics.height() * 9)  # fmt: skip
        x = area.left()
        painter.setPen(self.theme.color("muted"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(x, area.top(), 400, area.height()), flags, left)
        x += metrics.horizontalAdvance(left) + gap
        high = metrics.height() * 0.5
        bar = QRectF(x, area.center().y() - high / 2, bar_width, high)
        shades = QLinearGradient(bar.topLeft(), bar.topRight())
        for step in range(9):
            shades.setColorAt(step / 8, speed_colour(self.theme, 1 - step / 8))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shades)
        painter.drawRoundedRect(bar, 2, 2)
        painter.setPen(self.theme.color("muted"))
        painter.drawText(QRectF(bar.right() + gap, area.top(), 400, area.height()), flags, right)

    def say(self, painter: QPainter, text: str) -> None:
        """Write one sentence into the middle, where there is nothing to draw."""
        painter.setPen(self.theme.color("muted"))
        line = self.fontMetrics().height()
        painter.drawText(
            QRectF(self.rect()).adjusted(line, line, -line, -line),
            Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text,
        )  # fmt: skip


def ink_on(ground: QColor) -> QColor:
    """Return black or white, whichever can be read better on a colour."""
    rgb = (ground.red(), ground.green(), ground.blue())
    white = contrast((255, 255, 255), rgb) > contrast((20, 20, 20), rgb)
    return QColor("#ffffff" if white else "#141414")
