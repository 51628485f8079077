"""Puts beside each line of the editor what it became in the machine's code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.model.matching import line_map
from playground.ui.instruction_mix import arithmetic_of

if TYPE_CHECKING:
    from playground.model.machine_code import LineCode
    from playground.ui.document import Document
    from playground.ui.editor.code_editor import CodeEditor


class CodeMargin(QObject):
    """Follows the document's code: drawn dim while newer code is on its way or the text differs."""

    def __init__(self, document: Document, editor: CodeEditor) -> None:
        super().__init__(document)
        self._document, self._editor = document, editor
        self._code = document.compiler.code
        self._shown = False
        self._code.changed.connect(self._show)
        document.outlineChanged.connect(self._show)

    def set_shown(self, on: bool) -> None:
        """Show the column or hide it; hidden, nothing is asked of the engine for it."""
        self._shown = on
        self._code.want("margin", on)
        self._show()

    def _show(self) -> None:
        code = self._code.code
        if not self._shown or code is None or not self._code.is_of_this_file():
            self._editor.gutter.show_code({})
            return
        self._editor.gutter.show_code(self._placed(), arithmetic_of(code), self._stale())

    def _stale(self) -> str:
        code = self._code.code
        if code is not None and not self._code.is_current():
            return f"of {code.config.label()} for {code.target}, not of what is shown now"
        if self._document.text != self._document.work.ran_text:
            return "of the text as it was run last"
        return ""

    def _placed(self) -> dict[int, LineCode]:
        """Return the code by line of the text as it stands, which may be edited since it ran."""
        code, document = self._code.code, self._document
        if code is None:
            return {}
        ran = document.work.ran_text
        if document.text == ran:
            return {each.line: each for each in code.lines}
        where = line_map(ran, document.text)
        return {
            where[each.line]: replace(each, line=where[each.line])
            for each in code.lines
            if each.line in where
        }
