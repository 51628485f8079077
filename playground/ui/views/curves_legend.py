"""The legend of a curve: each line's look beside its name, wrapping like words.

A click on an entry, or Space, hides its line and shows it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from playground.ui.views.chips import FlowLayout
from playground.ui.views.curves_plot import pen_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.ui.theme import Theme
    from playground.ui.views.curves_plot import Look

MOST_LETTERS = 44
HIDDEN_OPACITY = 0.55


class LegendEntry(QAbstractButton):
    """A piece of line with its symbol, and a name that is cut where it is long; a switch."""

    def __init__(self, theme: Theme, title: str, tip: str, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._look = theme, look
        self.title = title
        self._shown = title if len(title) <= MOST_LETTERS else f"{title[: MOST_LETTERS - 1]}…"
        self.setObjectName(f"curves.legend:{title}")
        self.setAccessibleName(title)
        self.setToolTip(f"{tip}\nClick to hide the line or to show it again")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the size of the sample and the name."""
        metrics = self.fontMetrics()
        width = metrics.height() * 2.4 + metrics.horizontalAdvance(self._shown)
        return QSize(round(width), round(metrics.height() * 1.3))

    def minimumSizeHint(self) -> QSize:
        """Return the same as `sizeHint`."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the entry."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self.fontMetrics().height()
        middle = self.height() / 2
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("accent"), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if not self.isChecked():
            painter.setOpacity(HIDDEN_OPACITY)
            font = painter.font()
            font.setStrikeOut(True)
            painter.setFont(font)
        painter.setPen(pen_of(self._look, 1.8))
        painter.drawLine(QPointF(1, middle), QPointF(height * 1.9, middle))
        painter.save()
        painter.translate(height * 0.95, middle)
        pen: Any = Qt.PenStyle.NoPen
        painter.setPen(pen)
        drawSymbol(painter, self._look.symbol, height * 0.55, painter.pen(), self._look.colour)
        painter.restore()
        painter.setPen(self._theme.color("text"))
        area = QRectF(height * 2.2, 0, self.width() - height * 2.2, self.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                         self._shown)  # fmt: skip


class Legend(QWidget):
    """Entries that wrap; drawn again only where something about them changes.

    `hidden` are the titles of lines that were switched off; `changed` tells of another choice.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("curves.legend")
        self.setAccessibleName("Legend")
        self._theme = theme
        self._flow = FlowLayout(self, 10)
        self._entries: tuple[object, ...] = ()
        self.hidden: frozenset[str] = frozenset()

    def show_entries(self, entries: Sequence[tuple[str, str, Look]]) -> None:
        """Show pairs of a title and its full text with their looks."""
        key = tuple(
            (title, tip, look.colour.name(), look.symbol, look.dash) for title, tip, look in entries
        )
        if key == self._entries:
            return
        self._entries = key
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        for title, tip, look in entries:
            entry = LegendEntry(self._theme, title, tip, look, self)
            entry.setChecked(title not in self.hidden)
            entry.toggled.connect(lambda on, title=title: self._switch(title, on))
            self._flow.addWidget(entry)
            entry.show()
        self.updateGeometry()

    def _switch(self, title: str, shown: bool) -> None:
        self.hidden = self.hidden - {title} if shown else self.hidden | {title}
        self.changed.emit()
