"""A switch with one button a choice: all are in view, one of them holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence


class Segmented(QWidget):
    """Buttons named `NAME.VALUE`; `chosen` carries the value that the user picked."""

    chosen = Signal(str)

    def __init__(
        self,
        name: str,
        title: str,
        choices: Sequence[tuple[str, str, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for value, text, tip in choices:
            button = QToolButton(self)
            button.setObjectName(f"{name}.{value}")
            button.setText(text)
            button.setAccessibleName(f"{title}: {text}")
            button.setToolTip(tip)
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, value=value: self.chosen.emit(value))
            self._group.addButton(button)
            self._buttons[value] = button
            layout.addWidget(button)
        # Room to spare goes behind them, not between.
        layout.addStretch(1)

    @property
    def value(self) -> str:
        """The choice that holds."""
        return next((v for v, button in self._buttons.items() if button.isChecked()), "")

    def set_value(self, value: str) -> None:
        """Show that `value` holds, without telling anybody."""
        if value in self._buttons:
            self._buttons[value].setChecked(True)

    def button(self, value: str) -> QToolButton:
        """Return the button of a choice."""
        return self._buttons[value]
