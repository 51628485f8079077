"""Findings fastened to the text: their marks move with what is typed above and beside them."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCursor

from playground.ui.editor import edits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtGui import QTextBlock, QTextDocument

    from playground.model.finding import Finding, Severity

RANK: tuple[Severity, ...] = ("error", "warning", "hint", "info")
TOKENS = {"error": "bad", "warning": "warn"}
"""The theme's colour of a severity; of the others `accent_link`."""


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
        for finding in findings:
            block = self._document.findBlockByNumber((finding.line or 0) - 1)
            if finding.line and block.isValid():
                start, end = _underlined(block, finding.column)
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
        parts.append(f"<p style='margin:2px 0'>{text}</p>")
    return "".join(parts)


def _underlined(block: QTextBlock, column: int | None) -> tuple[int, int]:
    """Return the part of a line to underline: the word at `column`, else all of its code."""
    text = block.text()
    end = len(text.rstrip()) or 1
    start = len(edits.leading(text)) if column is None else min(column, max(end - 1, 0))
    if column is not None:
        stop = start
        while stop < end and (text[stop].isalnum() or text[stop] in "_."):
            stop += 1
        end = max(stop, start + 1)
    # Findings count characters, Qt counts UTF-16 units.
    first, last = (len(text[:at].encode("utf-16-le")) // 2 for at in (start, end))
    limit = block.position() + block.length() - 1
    return min(block.position() + first, limit), min(block.position() + last, limit)
