"""Edits that programmers expect: indentation, comments, moving and duplicating lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCursor

from playground.model.matching import common_ends

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QTextDocument
    from PySide6.QtWidgets import QPlainTextEdit

INDENT = 4
_LEAVES_BLOCK = re.compile(r"\s*(return|pass|break|continue|raise)\b")
_OPENING, _CLOSING = "([{", ")]}"


def qt_position(text: str, index: int) -> int:
    """Return Qt's position (in UTF-16 units) of `text[index]`."""
    if text.isascii():
        return index
    return len(text[:index].encode("utf-16-le")) // 2


def leading(text: str) -> str:
    """Return the white space that `text` starts with."""
    return text[: len(text) - len(text.lstrip(" \t"))]


def code_part(line: str) -> str:
    """Return `line` without its comment; a `#` inside a string of that line stays."""
    quote = ""
    for index, letter in enumerate(line):
        if quote:
            if letter == quote and line[index - 1 : index] != "\\":
                quote = ""
        elif letter in "'\"":
            quote = letter
        elif letter == "#":
            return line[:index]
    return line


def next_indent(line: str) -> str:
    """Return the indentation of the line that follows `line` (the text before the cursor)."""
    indent, code = leading(line), code_part(line).rstrip()
    if code.endswith((":", *_OPENING)):
        return indent + " " * INDENT
    depth = sum(code.count(c) for c in _OPENING) - sum(code.count(c) for c in _CLOSING)
    if depth > 0:
        return indent + " " * INDENT
    if _LEAVES_BLOCK.match(code) and depth == 0:
        return indent[:-INDENT] if len(indent) >= INDENT else ""
    return indent


def new_line(editor: QPlainTextEdit) -> None:
    """Break the line and indent the next one as Python would want it."""
    cursor = editor.textCursor()
    cursor.beginEditBlock()
    cursor.removeSelectedText()
    before = cursor.block().text()[: cursor.positionInBlock()]
    after = cursor.block().text()[cursor.positionInBlock() :].lstrip()
    indent = next_indent(before)
    # A closing bracket right behind the cursor goes to a line of its own, at the opening's level.
    splits = bool(after) and after[0] in _CLOSING and before.rstrip().endswith(tuple(_OPENING))
    cursor.insertText("\n" + indent)
    if splits:
        position = cursor.position()
        cursor.insertText("\n" + leading(before))
        cursor.setPosition(position)
    cursor.endEditBlock()
    editor.setTextCursor(cursor)
    editor.ensureCursorVisible()


def indent(editor: QPlainTextEdit) -> None:
    """Indent the selected lines, or move the cursor to the next stop."""
    cursor = editor.textCursor()
    if cursor.hasSelection() and "\u2029" in cursor.selectedText():
        _each_line(editor, lambda line: " " * INDENT + line if line.strip() else line)
        return
    cursor.insertText(" " * (INDENT - cursor.positionInBlock() % INDENT))
    editor.setTextCursor(cursor)


def dedent(editor: QPlainTextEdit) -> None:
    """Take one level of indentation from the selected lines or the current one."""

    def shorter(line: str) -> str:
        if line.startswith("\t"):
            return line[1:]
        return line[min(INDENT, len(leading(line))) :]

    _each_line(editor, shorter)


def backspace(editor: QPlainTextEdit) -> bool:
    """Delete back to the previous stop inside indentation; False leaves the key to Qt."""
    cursor = editor.textCursor()
    column = cursor.positionInBlock()
    before = cursor.block().text()[:column]
    if cursor.hasSelection() or not before or before.strip(" "):
        return False
    count = (column - 1) % INDENT + 1
    cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, count)
    cursor.removeSelectedText()
    editor.setTextCursor(cursor)
    return True


def smart_home(editor: QPlainTextEdit, *, keep_anchor: bool) -> None:
    """Go to the first letter of the line, from there to its very start, and back."""
    cursor = editor.textCursor()
    first = len(leading(cursor.block().text()))
    column = 0 if cursor.positionInBlock() == first else first
    mode = QTextCursor.MoveMode.KeepAnchor if keep_anchor else QTextCursor.MoveMode.MoveAnchor
    cursor.setPosition(cursor.block().position() + column, mode)
    editor.setTextCursor(cursor)


def toggle_comment(editor: QPlainTextEdit) -> None:
    """Comment the selected lines out, or back in when all of them are comments."""
    lines = [line for line in _selected_lines(editor) if line.strip()]
    if not lines:
        return
    if all(line.lstrip().startswith("#") for line in lines):
        _each_line(editor, lambda line: re.sub(r"^(\s*)# ?", r"\1", line))
        return
    column = min(len(leading(line)) for line in lines)
    _each_line(editor, lambda line: f"{line[:column]}# {line[column:]}" if line.strip() else line)


def duplicate_lines(editor: QPlainTextEdit) -> None:
    """Put a copy of the selected lines below them; the cursor goes to the copy."""
    cursor = editor.textCursor()
    text = "\n".join(_selected_lines(editor))
    shift = len(text) + 1
    anchor, position = cursor.anchor(), cursor.position()
    end = _span(editor)
    end.setPosition(end.selectionEnd())
    end.insertText("\n" + text)
    cursor.setPosition(anchor + shift)
    cursor.setPosition(position + shift, QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)


def move_lines(editor: QPlainTextEdit, step: int) -> None:
    """Move the selected lines up (`step` -1) or down (1) by one."""
    span = _span(editor)
    document = editor.document()
    first = document.findBlock(span.selectionStart())
    last = document.findBlock(span.selectionEnd())
    other = first.previous() if step < 0 else last.next()
    if not other.isValid():
        return
    moved, passed = "\n".join(_selected_lines(editor)), other.text()
    cursor = editor.textCursor()
    shift = -(len(passed) + 1) if step < 0 else len(passed) + 1
    anchor, position = cursor.anchor() + shift, cursor.position() + shift
    edit = editor.textCursor()
    edit.beginEditBlock()
    edit.setPosition(min(first.position(), other.position()))
    end = max(last.position() + last.length(), other.position() + other.length()) - 1
    edit.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    edit.insertText(f"{moved}\n{passed}" if step < 0 else f"{passed}\n{moved}")
    edit.endEditBlock()
    cursor.setPosition(anchor)
    cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)


def replace_text(document: QTextDocument, text: str) -> None:
    """Make the text `text` in one undoable edit that touches only what differs."""
    old = document.toRawText().replace("\u2029", "\n")
    if old == text:
        return
    start, end = common_ends(old, text)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    cursor.setPosition(qt_position(old, start))
    cursor.setPosition(qt_position(old, len(old) - end), QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text[start : len(text) - end])
    cursor.endEditBlock()


def replace_lines(editor: QPlainTextEdit, text: str) -> None:
    """Make the text `text` in one undoable edit of the lines that differ; the cursor stays."""
    from difflib import SequenceMatcher  # not for the first paint to wait for

    old = editor.document().toRawText().split("\u2029")
    new = text.split("\n")
    line, column = editor.textCursor().blockNumber(), editor.textCursor().positionInBlock()
    cursor = QTextCursor(editor.document())
    cursor.beginEditBlock()
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    at = line
    for kind, first, end, start, stop in reversed(changes):
        if kind == "equal":
            if first <= line < end:
                at = start + line - first
            continue
        if first <= line < end:
            at = min(start + line - first, max(stop - 1, start))
        _set_lines(cursor, first, end, new[start:stop])
    cursor.endEditBlock()
    block = editor.document().findBlockByNumber(min(at, editor.blockCount() - 1))
    cursor.setPosition(block.position() + min(column, block.length() - 1))
    editor.setTextCursor(cursor)


def _set_lines(cursor: QTextCursor, first: int, end: int, lines: list[str]) -> None:
    """Put `lines` in place of those from `first` up to `end` of the cursor's text, from 0."""
    document = cursor.document()
    count = document.blockCount()
    text = "\n".join(lines)
    if first == end:
        if first < count:
            cursor.setPosition(document.findBlockByNumber(first).position())
            cursor.insertText(text + "\n")
        else:
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText("\n" + text)
        return
    last = document.findBlockByNumber(end - 1)
    start, stop = document.findBlockByNumber(first).position(), last.position() + last.length() - 1
    if not lines:
        # The break that parts these lines from others goes with them.
        if end < count:
            stop += 1
        elif first:
            start -= 1
    cursor.setPosition(start)
    cursor.setPosition(stop, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text)


def _span(editor: QPlainTextEdit) -> QTextCursor:
    cursor = editor.textCursor()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    last = editor.document().findBlock(end)
    # A selection that ends at the very start of a line does not mean that line.
    if end > start and last.position() == end:
        last = last.previous()
    span = QTextCursor(editor.document())
    span.setPosition(editor.document().findBlock(start).position())
    span.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
    return span


def _selected_lines(editor: QPlainTextEdit) -> list[str]:
    return _span(editor).selectedText().split("\u2029")


def _each_line(editor: QPlainTextEdit, change: Callable[[str], str]) -> None:
    span = _span(editor)
    had_selection = editor.textCursor().hasSelection()
    start = span.selectionStart()
    column_from_end = span.selectionEnd() - editor.textCursor().position()
    text = "\n".join(change(line) for line in span.selectedText().split("\u2029"))
    span.insertText(text)
    cursor = editor.textCursor()
    if had_selection:
        cursor.setPosition(start)
        cursor.setPosition(start + len(text), QTextCursor.MoveMode.KeepAnchor)
    else:
        cursor.setPosition(max(start, start + len(text) - column_from_end))
    editor.setTextCursor(cursor)
