"""What the editor tells of names: the call being written, what is pointed at, its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Signal

from playground.ui.editor.doc_box import DocBox

if TYPE_CHECKING:
    from playground.ui.editor.code_editor import CodeEditor
    from playground.ui.editor.name_reader import NameReader

FOLLOW_MS = 150
"""How long the cursor must rest before what it stands in is asked for again."""


class Hints(QObject):
    """One box for calls and one for documentation; `placeFound` carries path, line (1), column (0).

    `nothingFound` carries the name that no definition was found for.
    """

    placeFound = Signal(str, int, int)
    nothingFound = Signal(str)

    def __init__(self, editor: CodeEditor, reader: NameReader) -> None:
        super().__init__(editor)
        self._editor = editor
        self._reader = reader
        self._call: DocBox | None = None
        self._doc: DocBox | None = None
        self._doc_line = QRect()
        self._asked_for = ""
        self._follow = QTimer(self)
        self._follow.setSingleShot(True)
        self._follow.setInterval(FOLLOW_MS)
        self._follow.timeout.connect(self._ask_call)
        reader.answered.connect(self._take)
        editor.callWanted.connect(self._follow.start)
        editor.docWanted.connect(self.show_doc_at)
        editor.cursorPositionChanged.connect(self._on_cursor)
        editor.hintsUnwanted.connect(self.hide)

    # ---------------------------------------------------------------------------- asking

    def show_call(self) -> None:
        """Tell which arguments the call around the cursor takes."""
        self._ask_call()

    def show_doc(self) -> None:
        """Tell what the name at the cursor is."""
        cursor = self._editor.textCursor()
        self.show_doc_at(cursor.blockNumber(), cursor.positionInBlock())

    def show_doc_at(self, line: int, column: int) -> None:
        """Tell what the name at a place is, `line` from 0."""
        name = self._editor.word_at(line, column)
        if not name or self._editor.highlighter.is_string(line, column):
            self._hide_doc()
            return
        self._doc_line = self._editor.rect_on_screen(line, column)
        self._reader.ask("describe", line, column)

    def go_to_definition(self) -> None:
        """Go to where the name at the cursor is defined."""
        cursor = self._editor.textCursor()
        line, column = cursor.blockNumber(), cursor.positionInBlock()
        self._asked_for = self._editor.word_at(line, column)
        if self._asked_for:
            self._reader.ask("define", line, column)

    def _ask_call(self) -> None:
        self._follow.stop()
        cursor = self._editor.textCursor()
        self._reader.ask("call", cursor.blockNumber(), cursor.positionInBlock())

    # --------------------------------------------------------------------------- showing

    def _take(self, answer: dict[str, Any]) -> None:
        kind, found = answer["kind"], answer.get("description")
        if kind == "call":
            if found is None:
                self._hide_call()
            else:
                self._show_call(found, answer["number"], answer["keyword"])
        elif kind == "describe":
            if found is None:
                self._hide_doc()
            else:
                self._show_doc(found)
        elif kind == "define":
            place = answer.get("place")
            if place is None:
                self.nothingFound.emit(self._asked_for)
            else:
                self.placeFound.emit(place["path"], place["line"], place["column"])

    def _show_call(self, found: dict[str, str], number: int, keyword: str) -> None:
        if not self._editor.hasFocus():
            return
        if self._call is None:
            self._call = DocBox("callHint", self._editor)
        self._call.set_description(found, self._mono(), number, keyword)
        cursor = self._editor.textCursor()
        line = self._editor.rect_on_screen(cursor.blockNumber(), cursor.positionInBlock())
        self._call.place_at_line(line, above=True)

    def _show_doc(self, found: dict[str, str]) -> None:
        if self._doc is None:
            self._doc = DocBox("docHint", self._editor)
        self._doc.set_description(found, self._mono())
        self._doc.place_at_line(self._doc_line, above=False)

    def _mono(self) -> str:
        return self._editor.font().family()

    # ---------------------------------------------------------------------------- hiding

    def hide(self) -> None:
        """Take both boxes away."""
        self._follow.stop()
        self._hide_call()
        self._hide_doc()

    @property
    def shown(self) -> bool:
        """Whether a box stands beside the text."""
        return any(box is not None and box.isVisible() for box in (self._call, self._doc))

    def _hide_call(self) -> None:
        self._reader.forget("call")
        if self._call is not None:
            self._call.hide()

    def _hide_doc(self) -> None:
        self._reader.forget("describe")
        if self._doc is not None:
            self._doc.hide()

    def _on_cursor(self) -> None:
        self._hide_doc()
        if self._call is not None and self._call.isVisible():
            self._follow.start()

    def mouse_left(self, point: QPoint) -> None:
        """Take the documentation away when the mouse is elsewhere, in screen pixels."""
        line = self._doc_line
        if self._doc is not None and self._doc.isVisible():
            near = line.adjusted(
                -line.height() * 3, -line.height(), line.height() * 12, line.height()
            )
            if not near.contains(point):
                self._hide_doc()
