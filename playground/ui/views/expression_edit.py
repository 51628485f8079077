"""A line of Python with completion of the names it may use, and the lines typed before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QWidget

from playground.ui.theme import mono_font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QAbstractItemView

_WORD = re.compile(r"[\w.]*$")


class WordEdit(QLineEdit):
    """A line edit that completes the word before the cursor, not the whole line."""

    entered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = QStringListModel(self)
        self._popup = QCompleter(self._names, self)
        self._popup.setWidget(self)
        self._popup.setCaseSensitivity(Qt.CaseSensitivity.CaseSensitive)
        self._popup.activated.connect(self._insert)
        self._list = cast("QAbstractItemView", self._popup.popup())
        self.textEdited.connect(self._offer)

    def set_names(self, names: Sequence[str]) -> None:
        """Offer these names from now on."""
        self._names.setStringList(list(names))

    def offered(self) -> list[str]:
        """Return what is offered for the word before the cursor."""
        self._popup.setCompletionPrefix(self._word())
        model = self._popup.completionModel()
        return [str(model.index(row, 0).data()) for row in range(model.rowCount())]

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Let Tab complete while names are offered: it would else leave the line."""
        if forward and self._list.isVisible():
            self._take_name()
            return True
        return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter takes the name picked in the list, else the line; Ctrl+Space offers names."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            picked = self._list.isVisible() and self._list.currentIndex().isValid()
            if picked:
                self._take_name()
            else:
                self._list.hide()
                self.entered.emit()
            # Passed on, the combo box around it would have the line edit enter it once more.
            event.accept()
            return
        if event.key() == Qt.Key.Key_Space and event.modifiers() == (
            Qt.KeyboardModifier.ControlModifier
        ):
            self._show_names()
            return
        super().keyPressEvent(event)

    def _take_name(self) -> None:
        picked = self._list.currentIndex()
        self._insert(str(picked.data()) if picked.isValid() else self.offered()[0])
        self._list.hide()

    def _word(self) -> str:
        found = _WORD.search(self.text()[: self.cursorPosition()])
        return found[0] if found else ""

    def _offer(self) -> None:
        word = self._word()
        if len(word) < 1 or self.offered() == [word]:
            self._list.hide()
        else:
            self._show_names()

    def _show_names(self) -> None:
        if self.offered():
            area = self.cursorRect()
            area.setWidth(self.fontMetrics().averageCharWidth() * 34)
            self._popup.complete(area)

    def _insert(self, name: str) -> None:
        word, at = self._word(), self.cursorPosition()
        text = self.text()
        self.setText(text[: at - len(word)] + name + text[at:])
        self.setCursorPosition(at - len(word) + len(name))


class ExpressionEdit(QComboBox):
    """An editable list: the newest expression first; Enter asks for it."""

    entered = Signal()

    def __init__(self, name: str, title: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.edit = WordEdit(self)
        self.edit.setObjectName(f"{name}.edit")
        self.edit.setAccessibleName(title)
        self.setLineEdit(self.edit)
        # The combo box's own completer would offer whole lines only.
        self.setCompleter(None)  # type: ignore[arg-type]
        self.setFont(mono_font())
        self.edit.setFont(mono_font())
        self.edit.setPlaceholderText(hint)
        self.edit.entered.connect(self.entered)

    def set_history(self, lines: Sequence[str]) -> None:
        """Offer lines typed before; what is being typed stays."""
        blocker = QSignalBlocker(self)
        text = self.currentText()
        self.clear()
        self.addItems(list(lines))
        self.setCurrentIndex(-1)
        self.setEditText(text)
        del blocker

    @property
    def text(self) -> str:
        """What is typed."""
        return self.currentText().strip()
