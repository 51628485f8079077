"""Another file's text, to be looked at beside the one that is open."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from playground.ui.editor.marked_text import MarkedText

if TYPE_CHECKING:
    from playground.ui.theme import Theme


class SourcePeek(QDialog):
    """Shows one place of a file; what was run stays. `openWanted` carries its path."""

    openWanted = Signal(str)

    def __init__(self, path: str, text: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sourcePeek")
        self.setWindowTitle(f"{os.path.basename(path)} - read only")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._path = path
        where = QLabel(path, self)
        where.setObjectName("sourcePeek.path")
        where.setProperty("role", "muted")
        where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        where.setWordWrap(True)
        self.text = MarkedText(theme, self)
        self.text.setObjectName("sourcePeek.text")
        self.text.setAccessibleName(f"Source of {os.path.basename(path)}")
        self.text.setReadOnly(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.load(text)
        self.text.highlighter.start()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.setObjectName("sourcePeek.buttons")
        self.open_button = buttons.addButton(
            "Open this file", QDialogButtonBox.ButtonRole.ActionRole
        )
        self.open_button.setObjectName("sourcePeek.open")
        self.open_button.setAccessibleName("Open this file")
        self.open_button.clicked.connect(self._open)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(where)
        layout.addWidget(self.text, 1)
        layout.addWidget(buttons)
        line = self.fontMetrics().height()
        self.resize(52 * line, 34 * line)

    def show_place(self, line: int, column: int) -> None:
        """Show a 1-based line."""
        self.show()
        self.text.go_to(line, column)
        self.text.centerCursor()
        self.text.mark_lines((line,))

    def _open(self) -> None:
        self.openWanted.emit(self._path)
        self.accept()
