"""Flat buttons, made alike; their pictures are coloured with the theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize
from PySide6.QtWidgets import QToolButton, QWidget

from playground.ui.icons import icon

if TYPE_CHECKING:
    from playground.ui.theme import Theme


class IconTools(QObject):
    """The buttons of one widget; lives as long as it does."""

    def __init__(self, owner: QWidget, theme: Theme) -> None:
        super().__init__(owner)
        self._owner, self._theme = owner, theme
        self._buttons: list[tuple[QToolButton, str]] = []
        theme.changed.connect(self._recolour)

    def make(
        self, name: str, picture: str, text: str, parent: QWidget | None = None
    ) -> QToolButton:
        """Return a button: `text` is its tooltip and its name for screen readers.

        Without a picture it is left to the caller to give it a text.
        """
        button = QToolButton(parent or self._owner)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setToolTip(text)
        button.setAutoRaise(True)
        if picture:
            self._buttons.append((button, picture))
            self._colour(button, picture)
        return button

    def _recolour(self) -> None:
        for button, picture in self._buttons:
            self._colour(button, picture)

    def _colour(self, button: QToolButton, picture: str) -> None:
        size = self._owner.fontMetrics().height()
        button.setIcon(icon(picture, self._theme))
        button.setIconSize(QSize(size, size))
