"""Compact labelled facts that wrap like words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMargins, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QWidget

from playground.ui.views.marks import Mark, Tone, paint_mark

if TYPE_CHECKING:
    from playground.ui.theme import Theme


class Chip(QWidget):
    """A rounded label with a mark: one fact about the current config, its meaning in the tooltip.

    `share` in [0, 1] (more when over a limit) draws the fact as a bar filling the chip.
    """

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._theme = theme
        self._text = ""
        self._tone: Tone = "muted"
        self._mark: Mark = "none"
        self._share: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        """What the chip says."""
        return self._text

    @property
    def tone(self) -> Tone:
        """How the chip says it."""
        return self._tone

    def show_fact(
        self,
        text: str,
        tone: Tone = "muted",
        mark: Mark = "none",
        *,
        share: float | None = None,
        tip: str = "",
    ) -> None:
        """Show `text`; an empty one hides the chip."""
        self._text, self._tone, self._mark, self._share = text, tone, mark, share
        self.setVisible(bool(text))
        self.setToolTip(tip or text)
        self.setAccessibleName(text)
        self.setAccessibleDescription(tip)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size the text needs."""
        metrics = self.fontMetrics()
        mark = metrics.height() if self._mark != "none" else 0
        return QSize(
            metrics.horizontalAdvance(self._text) + metrics.height() + mark,
            round(metrics.height() * 1.55),
        )

    def minimumSizeHint(self) -> QSize:
        """Return the same as `sizeHint`: a chip is never cut."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chip."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = area.height() / 2
        tone = self._theme.color(self._tone)
        fill = QColor(tone)
        fill.setAlphaF(0.14)
        edge = QColor(tone)
        edge.setAlphaF(0.55)
        painter.setPen(QPen(edge, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(area, radius, radius)
        if self._share is not None:
            bar = QColor(tone)
            bar.setAlphaF(0.32)
            painter.save()
            painter.setClipRect(
                QRectF(area.left(), area.top(), area.width() * min(self._share, 1.0), area.height())
            )
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(bar)
            painter.drawRoundedRect(area, radius, radius)
            painter.restore()
        height = self.fontMetrics().height()
        left = area.left() + height * 0.5
        if self._mark != "none":
            square = QRectF(left, area.center().y() - height * 0.4, height * 0.8, height * 0.8)
            paint_mark(painter, square, self._mark, tone)
            left += height
        painter.setPen(self._theme.color("text"))
        painter.drawText(
            QRectF(left, area.top(), area.right() - left, area.height()),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self._text,
        )


class FlowLayout(QLayout):
    """Lays widgets out in lines like words; hidden ones take no room."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(QMargins(0, 0, 0, 0))
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        """Take an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or None past the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return an item, or None past the end."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return no direction: lines are as wide as they need."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: fewer columns mean more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at `width`."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, area: QRect) -> None:
        """Place the items."""
        super().setGeometry(area)
        self._arrange(area, move=True)

    def sizeHint(self) -> QSize:
        """Return the smallest useful size."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Return the size of the largest item."""
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, area: QRect, *, move: bool) -> int:
        lines: list[list[tuple[QLayoutItem, QSize]]] = [[]]
        x = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if lines[-1] and x + size.width() > area.width():
                lines.append([])
                x = 0
            lines[-1].append((item, size))
            x += size.width() + self.spacing()
        y = area.y()
        for line in lines:
            height = max((size.height() for _, size in line), default=0)
            x = area.x()
            for item, size in line:
                if move:
                    # Things of different height share their middle, like words their line.
                    item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                x += size.width() + self.spacing()
            y += height + self.spacing()
        return max(y - area.y() - self.spacing(), 0)
