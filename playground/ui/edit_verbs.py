"""What the actions on the text do: finding, moving lines, completing, the size it is shown in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from playground.ui.editor import edits

if TYPE_CHECKING:
    from playground.ui.window import MainWindow


class EditVerbs(QObject):
    """Verbs of one window's editor; its settings remember the zoom and whether lines wrap."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._editor = window.area.editor
        self._editor.zoomed.connect(self._remember_zoom)

    def show_find(self) -> None:
        """Open the find bar."""
        self._window.area.find_bar.open_bar(replace=False)

    def show_replace(self) -> None:
        """Open the find bar with its second row."""
        self._window.area.find_bar.open_bar(replace=True)

    def find_next(self) -> None:
        """Go to the next match."""
        self._window.area.find_bar.next()

    def find_previous(self) -> None:
        """Go to the previous match."""
        self._window.area.find_bar.previous()

    def go_to_line(self) -> None:
        """Ask for a line number and go there."""
        from PySide6.QtWidgets import QInputDialog

        lines = self._editor.blockCount()
        current = self._editor.textCursor().blockNumber() + 1
        line, chosen = QInputDialog.getInt(
            self._window, "Go to line", f"Line (1 to {lines}):", current, 1, lines
        )
        if chosen:
            self._editor.go_to(line)

    def toggle_comment(self) -> None:
        """Comment the selected lines out, or in again."""
        edits.toggle_comment(self._editor)

    def duplicate_lines(self) -> None:
        """Put a copy of the selected lines below them."""
        edits.duplicate_lines(self._editor)

    def move_lines_up(self) -> None:
        """Move the selected lines up by one."""
        edits.move_lines(self._editor, -1)

    def move_lines_down(self) -> None:
        """Move the selected lines down by one."""
        edits.move_lines(self._editor, 1)

    def complete(self) -> None:
        """Offer names that fit at the cursor."""
        self._editor.completionWanted.emit(True)

    def focus_editor(self) -> None:
        """Put the keyboard in the text."""
        self._editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def zoom_in(self) -> None:
        """Larger text in the editor."""
        self._editor.zoom(1)

    def zoom_out(self) -> None:
        """Smaller text in the editor."""
        self._editor.zoom(-1)

    def zoom_reset(self) -> None:
        """Text of the editor in its natural size."""
        self._editor.zoom(0)

    def set_wrap(self, on: bool) -> None:
        """Wrap long lines or not."""
        self._editor.set_wrap(on)
        self._window.settings.wrap = on

    def _remember_zoom(self, points: float) -> None:
        self._window.settings.editor_points = points
