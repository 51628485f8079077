"""Findings fastened to the text: their marks move with what is typed above and beside them."""

from __future__ import annotations

import ast
import html
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCursor

from playground.model.source_tree import column_of, tree_of
from playground.ui.editor import edits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtGui import QTextBlock, QTextDocument

    from playground.model.finding import Finding, Severity

RANK: tuple[Severity, ...] = ("error", "warning", "hint", "info")
TOKENS = {"error": "bad", "warning": "warn"}
"""The theme's colour of a severity; of the others `accent_link`."""

_WIDE, _TIP_WIDTH_PX = 60, 420


class FindingMarks:
    """The findings shown in one text.

    A mark lies between two positions that Qt keeps at their characters, so nothing jumps in the
    moment between an edit and the next look at the text.
    """

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._marks: list[tuple[QTextCursor, Finding]] = []
        self._by_line: dict[int, list[Finding]] = {}
        self._revision = -1

    def put(self, findings: Sequence[Finding]) -> None:
        """Fasten these findings in place of the ones before."""
        self._marks = []
        exact = [item for item in findings if item.stage != "syntax" and item.column is not None]
        wanted = {(item.line, item.column) for item in exact}
        ends = _ends(self._document.toPlainText(), wanted) if wanted else {}
        for finding in findings:
            block = self._document.findBlockByNumber((finding.line or 0) - 1)
            if finding.line and block.isValid():
                start, end = _underlined(
                    block, finding.column,
                    None if finding.stage == "syntax" else ends.get((finding.line, finding.column)),
                )  # fmt: skip
                cursor = QTextCursor(self._document)
                cursor.setPosition(start)
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                self._marks.append((cursor, finding))
        self._revision = -1

    def at(self, line: int) -> list[Finding]:
        """Return the findings on a 1-based line."""
        if self._revision != self._document.revision():
            self._revision = self._document.revision()
            self._by_line = {}
            for cursor, finding in self._marks:
                block = self._document.findBlock(cursor.selectionStart())
                self._by_line.setdefault(block.blockNumber() + 1, []).append(finding)
        return self._by_line.get(line, [])

    def tokens(self) -> dict[int, str]:
        """Return the 1-based lines with findings, and the colour's token of the gravest of each."""
        lines = {
            self._document.findBlock(c.selectionStart()).blockNumber() + 1 for c, _ in self._marks
        }
        return {line: TOKENS.get(self.severity_at(line) or "", "accent_link") for line in lines}

    def severity_at(self, line: int) -> Severity | None:
        """Return the gravest severity on a 1-based line."""
        found = {finding.severity for finding in self.at(line)}
        return next((severity for severity in RANK if severity in found), None)

    def spans(self, typing_at: int | None = None) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and colour token of each underline, the gravest last.

        A name that ends at `typing_at` is still being typed: it is left out. A finding about a
        whole line is underlined where no other one of the line tells a word.
        """
        exact = {
            self._document.findBlock(cursor.selectionStart()).blockNumber()
            for cursor, finding in self._marks if finding.column is not None
        }  # fmt: skip
        for cursor, finding in sorted(self._marks, key=lambda mark: -RANK.index(mark[1].severity)):
            start, end = cursor.selectionStart(), cursor.selectionEnd()
            line = self._document.findBlock(start).blockNumber()
            half_typed = finding.stage == "syntax" and end == typing_at
            if start < end and not half_typed and (finding.column is not None or line not in exact):
                yield start, end, TOKENS.get(finding.severity, "accent_link")


def tooltip(findings: Sequence[Finding]) -> str:
    """Return findings as rich text: what is wrong, and under it what to write."""
    parts = []
    for finding in findings:
        text = f"<b>{html.escape(finding.message)}</b>"
        if finding.hint:
            text += f"<br>→ {html.escape(finding.hint)}"
        # Left alone, Qt makes a column of five words out of any longer text.
        wide = len(finding.message) > _WIDE or len(finding.hint) > _WIDE
        width = f" width='{_TIP_WIDTH_PX}'" if wide else ""
        parts.append(f"<table{width}><tr><td>{text}</td></tr></table>")
    return "".join(parts)


def _ends(text: str, wanted: set[tuple[int | None, int | None]]) -> dict[object, int]:
    """Return where the longest expression that begins at each wanted place ends on its line.

    The compiler tells where what it refuses begins: of `x + y` that is the `x`.
    """
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError):
        return {}
    lines = text.split("\n")
    found: dict[object, int] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr) or node.end_col_offset is None:
            continue
        line = lines[node.lineno - 1]
        place = (node.lineno, column_of(line, node.col_offset))
        if place in wanted:
            same = node.end_lineno == node.lineno
            end = column_of(line, node.end_col_offset) if same else len(line.rstrip())
            found[place] = max(end, found.get(place, 0))
    return found


def _underlined(
    block: QTextBlock, column: int | None, known_end: int | None = None
) -> tuple[int, int]:
    """Return the part of a line to underline: what begins at `column`, else all of its code."""
    text = block.text()
    end = len(text.rstrip()) or 1
    start = len(edits.leading(text)) if column is None else min(column, max(end - 1, 0))
    if column is not None:
        stop = start
        while stop < end and (text[stop].isalnum() or text[stop] in "_."):
            stop += 1
        end = max(known_end or stop, start + 1)
    first, last = (edits.qt_position(text, at) for at in (start, end))
    limit = block.position() + block.length() - 1
    return min(block.position() + first, limit), min(block.position() + last, limit)
