"""Questions that can wait, above the text: one row each, with what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject

Choice = tuple[str, str, "Callable[[], None]"]
"""Name and text of a button, and what it does; the row goes first."""


class Notices(QWidget):
    """Rows by key; hidden while there is none. Nothing here holds the window up.

    A row can be `of` one file: it is seen while that one is in front.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._rows: dict[tuple[QObject | None, str], QWidget] = {}
        self._front: QObject | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self.hide()

    def ask(
        self, key: str, text: str, choices: tuple[Choice, ...], of: QObject | None = None
    ) -> None:
        """Show `text` with a button for each choice, in place of the row of the same key."""
        self.take_back(key, of)
        row = QWidget(self)
        row.setObjectName(f"notice.{key}")
        space = self.fontMetrics().height() // 4
        layout = QHBoxLayout(row)
        layout.setContentsMargins(3 * space, space, 2 * space, space)
        label = QLabel(text, row)
        label.setObjectName(f"notice.{key}.text")
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        layout.addWidget(label, 1)
        for name, title, slot in choices:
            button = QPushButton(title, row)
            button.setObjectName(f"notice.{key}.{name}")
            button.setAccessibleName(title)
            button.clicked.connect(lambda _=False, slot=slot: self._chosen(key, slot, of))
            layout.addWidget(button)
        row.setAccessibleName(text)
        self._rows[of, key] = row
        self._layout.addWidget(row)
        self._show()

    def show_of(self, front: QObject) -> None:
        """Show the rows of the file that is in front now, and those of none."""
        self._front = front
        self._show()

    def forget(self, of: QObject) -> None:
        """Remove the rows of a file that is closed."""
        for owner, key in list(self._rows):
            if owner is of:
                self.take_back(key, of)

    def _show(self) -> None:
        for (of, _), row in self._rows.items():
            row.setVisible(of is None or of is self._front)
        self.setVisible(bool(self.shown()))

    def take_back(self, key: str, of: QObject | None = None) -> None:
        """Remove the row of `key`, if there is one."""
        row = self._rows.pop((of, key), None)
        if row is None:
            return
        self._layout.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._show()

    def shown(self) -> tuple[str, ...]:
        """Return the keys of the rows shown, from top to bottom."""
        return tuple(key for of, key in self._rows if of is None or of is self._front)

    def _chosen(self, key: str, slot: Callable[[], None], of: QObject | None) -> None:
        self.take_back(key, of)
        slot()
