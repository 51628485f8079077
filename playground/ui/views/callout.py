"""A card beside a control of the window, and the frame around that control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.theme import Theme

_WIDTH = 46
"""Characters of a line on the card."""


class Outline(QWidget):
    """A frame around a control; the mouse goes through it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("tour.outline")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        theme.changed.connect(self.update)

    def put(self, window: QWidget, around: QRect) -> None:
        """Lie around a place of `window`, in its coordinates."""
        if self.parentWidget() is not window:
            self.setParent(window)
        grown = around.adjusted(-3, -3, 3, 3).intersected(window.rect())
        if self.geometry() != grown:
            self.setGeometry(grown)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("accent"), 3))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6)


class Callout(QFrame):
    """Title, text and what can be done: it is done for the user, skipped, or all of it ended."""

    doIt = Signal()
    skipped = Signal()
    ended = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tour")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._heading = QLabel(self)
        self._heading.setObjectName("tour.title")
        set_role(self._heading, "heading")
        self._progress = QLabel(self)
        self._progress.setObjectName("tour.progress")
        set_role(self._progress, "muted")
        self._text = QLabel(self)
        self._text.setObjectName("tour.text")
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self.do = self._button("do", "", self.doIt.emit)
        self.do.setProperty("primary", "true")
        self.skip = self._button("skip", "Skip", self.skipped.emit)
        self.skip.setAccessibleName("Skip this step of the tour")
        self.end = self._button("end", "End the tour", self.ended.emit)
        self.end.setProperty("flat", "true")
        unit = self.fontMetrics().height() // 4
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self._heading, 1)
        top.addWidget(self._progress)
        bottom.setSpacing(2 * unit)
        bottom.addWidget(self.do)
        bottom.addWidget(self.skip)
        bottom.addStretch(1)
        bottom.addWidget(self.end)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(4 * unit, 3 * unit, 4 * unit, 3 * unit)
        column.setSpacing(2 * unit)
        column.addLayout(top)
        column.addWidget(self._text)
        column.addSpacing(unit)
        column.addLayout(bottom)
        self.hide()

    def _button(self, name: str, text: str, then: Callable[[], None]) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(f"tour.{name}")
        button.setAccessibleName(text)
        button.clicked.connect(lambda: then())
        return button

    def say(self, title: str, progress: str, text: str, do: str, *, last: bool = False) -> None:
        """Show other words; `do` is the button's text, and where it is empty there is none."""
        told = (self._heading.text(), self._text.text())
        self._heading.setText(title)
        self._progress.setText(progress)
        self._text.setText(text)
        self.do.setText(do)
        self.do.setAccessibleName(f"{do}: {title}" if do else "Nothing to do")
        for button, shown in ((self.do, bool(do)), (self.skip, not last), (self.end, not last)):
            button.setVisible(shown)
        self.setAccessibleName(f"Tour, {progress}: {title}" if progress else f"Tour: {title}")
        self.setAccessibleDescription(text)
        if told != (title, text):
            self._announce(f"{self.accessibleName()}. {text}")

    def _announce(self, text: str) -> None:
        """Tell a screen reader, which else learns of nothing that does not have the keyboard."""
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def put(self, beside: QRect | None, area: QRect, *, first: str = "below") -> None:
        """Stand beside a place without covering it, within `area`; in its corner without one.

        `first` is the side to try first: `below`, `right`, `left` or `above`.
        """
        wide = max(
            _WIDTH * self.fontMetrics().averageCharWidth(), self._column.minimumSize().width()
        )
        wide = min(wide, area.width())
        high = max(self._column.totalHeightForWidth(wide), self._column.minimumSize().height())
        card = QRect(0, 0, wide, min(high, area.height()))
        card.moveTopLeft(_corner(card, beside, area, first))
        if self.geometry() != card:
            self.setGeometry(card)
        self._column.activate()
        self.show()
        self.raise_()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give the keyboard back on Esc; the tour stays."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)


def _corner(card: QRect, beside: QRect | None, area: QRect, first: str) -> QPoint:
    """Return the card's top left: at the first side with room, else where it hides least."""
    low = QPoint(area.right() - card.width() + 1, area.bottom() - card.height() + 1)
    if beside is None:
        return low
    gap = 12
    left = min(max(beside.left(), area.left()), low.x())
    top = min(max(beside.top(), area.top()), low.y())
    places = {
        "below": QPoint(left, beside.bottom() + gap),
        "right": QPoint(beside.right() + gap, top),
        "left": QPoint(beside.left() - card.width() - gap, top),
        "above": QPoint(left, beside.top() - card.height() - gap),
    }
    corners = [low, QPoint(area.left(), low.y()), QPoint(low.x(), area.top()), area.topLeft()]
    for place in (places[first], *places.values()):
        if area.contains(QRect(place, card.size())):
            return place

    def hidden(place: QPoint) -> int:
        over = QRect(place, card.size()).intersected(beside)
        return over.width() * over.height()

    return min(corners, key=hidden)
