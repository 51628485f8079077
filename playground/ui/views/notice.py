"""Banners and empty states: what the user should know, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from playground.ui.views.marks import Mark, Tone, paint_mark
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.ui.theme import Theme


class Notice(QWidget):
    """A banner with a mark and text that wraps; hidden while it has nothing to say."""

    def __init__(
        self,
        name: str,
        theme: Theme,
        tone: Tone = "warn",
        mark: Mark = "warning",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._theme, self._tone, self._mark = theme, tone, mark
        self._label = QLabel(self)
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        height = self.fontMetrics().height()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(round(height * 2), height // 3, height // 2, height // 3)
        layout.addWidget(self._label)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.hide()
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        """What the banner says."""
        return self._label.text()

    def say(self, text: str, tone: Tone | None = None, mark: Mark | None = None) -> None:
        """Show `text`, or hide when it is empty."""
        self._tone = tone or self._tone
        self._mark = mark or self._mark
        self._label.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the banner's ground and mark."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tone = self._theme.color(self._tone)
        ground = QColor(tone)
        ground.setAlphaF(0.13)
        height = self.fontMetrics().height()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(self.rect()), height * 0.3, height * 0.3)
        painter.setBrush(tone)
        painter.drawRoundedRect(QRectF(0, 0, height * 0.22, self.height()), 2, 2)
        square = QRectF(height * 0.65, height * 0.42, height, height)
        paint_mark(painter, square, self._mark, tone)


class EmptyState(QWidget):
    """What a view shows while it has nothing: why, and the one thing to do about it."""

    def __init__(
        self, name: str, title: str, remedy: str, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._title = QLabel(title, self)
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setBold(True)
        self._title.setFont(font)
        self._remedy = QLabel(remedy, self)
        layout = QVBoxLayout(self)
        layout.addStretch(1)
        for label in (self._title, self._remedy):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
            layout.addWidget(label)
        layout.addStretch(2)
        self.setAccessibleName(f"{title}. {remedy}")
        set_role(self._remedy, "muted")

    def say(self, title: str, remedy: str) -> None:
        """Show another title and remedy."""
        self._title.setText(title)
        self._remedy.setText(remedy)
        self.setAccessibleName(f"{title}. {remedy}")

    @property
    def text(self) -> str:
        """Title and remedy as one text."""
        return f"{self._title.text()}\n{self._remedy.text()}"
