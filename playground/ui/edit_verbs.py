"""What the actions on the text do: finding, moving lines, completing, the size it is shown in."""

from __future__ import annotations

import os
import sysconfig
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from playground.ui.editor import edits

if TYPE_CHECKING:
    from PySide6.QtGui import QTextCursor

    from playground.ui.document import Document
    from playground.ui.editor.hints import Hints
    from playground.ui.window import MainWindow

_MESSAGE_MS = 6000
_STDLIB = sysconfig.get_path("stdlib")
_PLACES = 40
"""So many places to go back to are kept."""


class EditVerbs(QObject):
    """Verbs of one window's editor; its settings remember the zoom and whether lines wrap."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._editor = window.area.editor
        self._heard: Hints | None = None
        self._places: list[tuple[Document, QTextCursor]] = []
        self._editor.zoomed.connect(self._remember_zoom)
        self._editor.definitionWanted.connect(self.go_to_definition)

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

    def show_documentation(self) -> None:
        """Tell what the name at the cursor is."""
        hints = self._hints()
        if hints is not None:
            hints.show_doc()

    def show_arguments(self) -> None:
        """Tell which arguments the call around the cursor takes."""
        hints = self._hints()
        if hints is not None:
            hints.show_call()

    def go_to_definition(self) -> None:
        """Go to where the name at the cursor is defined."""
        hints = self._hints()
        if hints is not None:
            hints.go_to_definition()

    def go_back(self) -> None:
        """Put the cursor back to where it was before the last definition."""
        files = self._window.open_files
        while self._places:
            of, cursor = self._places.pop()
            if of in files.documents:
                files.show(of)
                self._editor.go_to(cursor.blockNumber() + 1, cursor.positionInBlock())
                return

    def format_text(self) -> None:
        """Write the text as `ruff format` does; why it could not becomes a notice."""
        from playground.ui.editor.formatting import FormatProblem, formatted

        try:
            text = formatted(self._editor.text(), self._window.document.path)
        except FormatProblem as problem:
            self._tell(str(problem))
            return
        if text == self._editor.text():
            self._tell("The text is formatted already.")
        else:
            edits.replace_lines(self._editor, text)

    def toggle_fold(self) -> None:
        """Fold what the cursor's line begins or lies in, or unfold it."""
        self._editor.folds.toggle(self._editor.textCursor().blockNumber())

    def fold_all(self) -> None:
        """Hide the bodies of all functions and classes."""
        self._editor.folds.fold_all()

    def unfold_all(self) -> None:
        """Show every line."""
        self._editor.folds.unfold_all()

    def _hints(self) -> Hints | None:
        """Return what tells of names, once the editor has it."""
        completion = self._window.area.completion
        if completion is None:
            return None
        if completion.hints is not self._heard:
            self._heard = completion.hints
            self._heard.placeFound.connect(self._show_place)
            self._heard.nothingFound.connect(
                lambda name: self._tell(f"No definition of {name} was found.")
            )
        return completion.hints

    def _show_place(self, path: str, line: int, column: int) -> None:
        """Go to a place of a file of the user's in its tab, or show a library's beside the text."""
        files = self._window.open_files
        before, cursor = files.current, self._editor.textCursor()
        library = os.path.isfile(path) and _is_library(path) and files.find(path) is None
        if not library:
            if os.path.isfile(path) and files.open(os.path.abspath(path)) is None:
                return
            self._places = [*self._places[-_PLACES:], (before, cursor)]
            self._editor.go_to(line, column)
            return
        from playground.ui.editor.source_peek import SourcePeek
        from playground.ui.files import FileProblem, read_text_file

        try:
            text = read_text_file(path).text
        except FileProblem as problem:
            self._tell(str(problem))
            return
        peek = SourcePeek(path, text, self._window.theme, self._window)
        peek.text.set_font(self._editor.font())
        peek.openWanted.connect(self._window.files.open_path)
        peek.show_place(line, column)

    def _tell(self, message: str) -> None:
        self._window.statusBar().showMessage(message, _MESSAGE_MS)

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


def _is_library(path: str) -> bool:
    """Tell whether a file is of Python or of an installed package: to be read, not to be edited."""
    parts = os.path.realpath(path).split(os.sep)
    return "site-packages" in parts or "dist-packages" in parts or _is_under(path, _STDLIB)


def _is_under(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)
