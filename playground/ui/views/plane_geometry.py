"""Where the elements of a plane are on the screen: fitted, zoomed and panned."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Signal
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

MAX_CELL = 96.0
"""Pixels of a side of an element at most."""


class PlaneGeometry(QWidget):
    """A widget that shows a plane of elements; `viewChanged` says that another part is visible.

    `origin` is the element at the corner of the plot area, `scale_x` and `scale_y` the size of an
    element in logical pixels. A `folded` plane is a tensor of one dimension in rows.
    """

    viewChanged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = self.columns = 0
        self.scale_x = self.scale_y = 1.0
        self.origin = QPointF()
        self.folded = False
        self._area: QRectF | None = None
        self._fitted = True

    def set_plane(self, rows: int, columns: int, *, folded: bool) -> None:
        """Take the size of the plane; another size is fitted anew."""
        self.folded = folded
        self._area = None
        if (rows, columns) != (self.rows, self.columns):
            self.rows, self.columns = rows, columns
            self.fit()

    def sizeHint(self) -> QSize:
        """Return a comfortable size for a picture."""
        unit = self.fontMetrics().height()
        return QSize(unit * 32, unit * 24)

    def minimumSizeHint(self) -> QSize:
        """Return the least size with which tiles can be told apart."""
        unit = self.fontMetrics().height()
        return QSize(unit * 4, unit * 3)

    @property
    def bare(self) -> bool:
        """Whether there is no room for rulers."""
        unit = self.fontMetrics().height()
        return self.width() < unit * 15 or self.height() < unit * 8

    def plot_area(self) -> QRectF:
        """Return where elements are drawn: the widget without its rulers."""
        if self._area is None:
            self._area = self._make_area()
        return self._area

    def _make_area(self) -> QRectF:
        metrics = self.fontMetrics()
        if self.bare:
            return QRectF(1, 1, max(self.width() - 2, 1), max(self.height() - 2, 1))
        longest = self.rows * self.columns if self.folded else self.rows
        gutter = metrics.horizontalAdvance(str(max(longest, 1000))) + metrics.height()
        top = metrics.height() * 1.5
        return QRectF(
            gutter, top, max(self.width() - gutter - 2, 1), max(self.height() - top - 2, 1)
        )

    def to_widget(self, row: float, column: float) -> QPointF:
        """Return where the corner of an element is drawn."""
        area = self.plot_area()
        return QPointF(
            area.left() + (column - self.origin.x()) * self.scale_x,
            area.top() + (row - self.origin.y()) * self.scale_y,
        )

    def target(self, rect: QRectF) -> QRectF:
        """Return where a rectangle of elements is drawn."""
        return QRectF(
            self.to_widget(rect.top(), rect.left()), self.to_widget(rect.bottom(), rect.right())
        )

    def element_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return row and column of the element under a point, None outside the plane."""
        area = self.plot_area()
        if not area.contains(position):
            return None
        column = math.floor((position.x() - area.left()) / self.scale_x + self.origin.x())
        row = math.floor((position.y() - area.top()) / self.scale_y + self.origin.y())
        if 0 <= row < self.rows and 0 <= column < self.columns:
            return row, column
        return None

    def visible(self) -> QRect:
        """Return the elements in view: x is the first column, y the first row."""
        area = self.plot_area()
        left = max(math.floor(self.origin.x()), 0)
        top = max(math.floor(self.origin.y()), 0)
        right = min(math.ceil(self.origin.x() + area.width() / self.scale_x), self.columns)
        bottom = min(math.ceil(self.origin.y() + area.height() / self.scale_y), self.rows)
        return QRect(left, top, max(right - left, 0), max(bottom - top, 0))

    def fit(self) -> None:
        """Show the whole plane; a long and thin one is stretched across its short side."""
        self._fitted = True
        if not self.rows or not self.columns:
            return
        area = self.plot_area()
        across, down = area.width() / self.columns, area.height() / self.rows
        if self.folded:
            # The fold is no geometry of the user's: a folded tensor takes all the room there is.
            self.scale_x, self.scale_y = across, down
        else:
            # Square elements, unless that would leave less than a quarter of a side to look at.
            scale = min(across, down)
            self.scale_x = max(scale, across / 4)
            self.scale_y = max(scale, down / 4)
        self.scale_x = min(self.scale_x, MAX_CELL)
        self.scale_y = min(self.scale_y, MAX_CELL)
        # What is smaller than the view stands in its middle.
        self.origin = QPointF(
            min((self.columns - area.width() / self.scale_x) / 2, 0.0),
            min((self.rows - area.height() / self.scale_y) / 2, 0.0),
        )
        self._moved()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom by `factor` and keep the element under `at` where it is (by default the centre)."""
        area = self.plot_area()
        at = at or area.center()
        fixed = QPointF(
            self.origin.x() + (at.x() - area.left()) / self.scale_x,
            self.origin.y() + (at.y() - area.top()) / self.scale_y,
        )
        least = min(
            area.width() / max(self.columns, 1), area.height() / max(self.rows, 1), MAX_CELL
        )
        low = min(self.scale_x, self.scale_y)
        high = max(self.scale_x, self.scale_y)
        if factor < 1 and factor <= least / low:
            self.fit()
            return
        factor = min(factor, MAX_CELL / high)
        self.scale_x *= factor
        self.scale_y *= factor
        self.origin = QPointF(
            fixed.x() - (at.x() - area.left()) / self.scale_x,
            fixed.y() - (at.y() - area.top()) / self.scale_y,
        )
        self._fitted = False
        self._clamp()
        self._moved()

    def pan(self, dx: float, dy: float) -> None:
        """Move the view by logical pixels."""
        self.origin += QPointF(dx / self.scale_x, dy / self.scale_y)
        self._fitted = False
        self._clamp()
        self._moved()

    def bring_into_view(self, rect: QRectF) -> None:
        """Centre a rectangle of elements unless some of it is in view already."""
        if rect.isEmpty() or QRectF(self.visible()).intersects(rect):
            return
        area = self.plot_area()
        self.origin = QPointF(
            rect.center().x() - area.width() / self.scale_x / 2,
            rect.center().y() - area.height() / self.scale_y / 2,
        )
        self._clamp()
        self._moved()

    def _clamp(self) -> None:
        area = self.plot_area()
        # The middle of the view stays on the plane: zooming keeps its place under the cursor up to
        # the edges, and the plane is never lost from sight.
        half_x = area.width() / self.scale_x / 2
        half_y = area.height() / self.scale_y / 2
        self.origin = QPointF(
            min(max(self.origin.x(), -half_x), self.columns - half_x),
            min(max(self.origin.y(), -half_y), self.rows - half_y),
        )

    def _moved(self) -> None:
        self.update()
        self.viewChanged.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a fitted plane fitted."""
        self._area = None
        if self._fitted:
            self.fit()
        else:
            self._clamp()
            self._moved()

    def changeEvent(self, event: QEvent) -> None:
        """Make room for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._area = None
