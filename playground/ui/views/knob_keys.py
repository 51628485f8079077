"""Ctrl+Z where a knob has the keyboard: it takes the knob's move back, not the text's."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QSpinBox, QWidget

UNDO_TIP = "Ctrl+Z takes the last move back, Ctrl+Shift+Z makes it again"


class UndoKeys(QObject):
    """Hears the keys of undo and redo in a knob's widgets; `asked` is True for undo.

    A number that is being typed keeps its own: there the keys change what was typed.
    """

    asked = Signal(bool)

    def watch(self, widget: QWidget) -> None:
        """Hear the keys in `widget` and in the field within it."""
        widget.installEventFilter(self)
        for field in widget.findChildren(QLineEdit):
            field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys of undo and redo before the window's shortcuts do."""
        kind = event.type()
        if kind not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            return False
        if not isinstance(event, QKeyEvent) or _is_typing(watched):
            return False
        undo = event.matches(QKeySequence.StandardKey.Undo)
        if not undo and not event.matches(QKeySequence.StandardKey.Redo):
            return False
        if kind == QEvent.Type.ShortcutOverride:
            event.accept()
        else:
            self.asked.emit(undo)
        return True


def _is_typing(watched: QObject) -> bool:
    """Tell whether a spin box holds text that was not taken yet."""
    field = watched.parent() if isinstance(watched, QLineEdit) else watched
    return isinstance(field, QSpinBox) and field.lineEdit().isModified()
