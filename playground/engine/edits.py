"""Changes to source text by place, so that everything else stays as the user wrote it."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine.source_text import lines_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence


@dataclass(frozen=True)
class Edit:
    """Replace the text between two places (1-based line, 0-based UTF-8 column) by `text`.

    With `whole_line` the line goes with it, where nothing else is left there.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    whole_line: bool = False


def replaced(node: ast.expr | ast.stmt, text: str) -> Edit:
    """Return the edit that puts `text` in the place of `node`."""
    return Edit(
        node.lineno,
        node.col_offset,
        node.end_lineno or node.lineno,
        node.end_col_offset or node.col_offset,
        text,
    )


def removed(node: ast.stmt) -> Edit:
    """Return the edit that takes a statement out, with its line where it stands alone."""
    return Edit(
        node.lineno, node.col_offset, node.end_lineno or node.lineno,
        node.end_col_offset or node.col_offset, "", whole_line=True,
    )  # fmt: skip


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Return `text` with all edits made; of two that overlap the outer one is."""
    lines = lines_of(text)
    if not lines:
        return text
    end = text[len(text.rstrip("\r\n")) :] if lines[-1] or text.endswith("\n") else ""
    made = applied(lines, edits, (1, 0), (len(lines), len(lines[-1].encode())))
    return made.rstrip("\n") + end if end else made


def applied(
    lines: Sequence[str], edits: Sequence[Edit], start: tuple[int, int], end: tuple[int, int]
) -> str:
    """Return the text between two places with the edits in it made."""
    pieces: list[str] = []
    place = start
    for edit in sorted(edits, key=lambda one: (one.line, one.column, -one.end_line)):
        first, last = (edit.line, edit.column), (edit.end_line, edit.end_column)
        if first < place or last > end:
            continue
        before = _between(lines, place, first)
        if edit.whole_line:
            head, _, own = before.rpartition("\n")
            tail = lines[edit.end_line - 1].encode()[edit.end_column :].decode()
            if not own.strip() and (not tail.strip() or tail.lstrip().startswith("#")):
                pieces.append(head)
                gone = edit.end_line
                while head.endswith(":") and gone < end[0] and not lines[gone].strip():
                    gone += 1  # no blank line opens a block
                place = (gone, len(lines[gone - 1].encode()))
                continue
            if tail.lstrip().startswith(";"):
                skipped = len(tail) - len(tail.lstrip().removeprefix(";").lstrip())
                last = (edit.end_line, edit.end_column + skipped)
        pieces += [before, edit.text]
        place = last
    pieces.append(_between(lines, place, end))
    return "".join(pieces)


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start >= end:
        return ""
    if start[0] == end[0]:
        return lines[start[0] - 1].encode()[start[1] : end[1]].decode()
    head = lines[start[0] - 1].encode()[start[1] :].decode()
    tail = lines[end[0] - 1].encode()[: end[1]].decode()
    return "\n".join([head, *lines[start[0] : end[0] - 1], tail])


def shifted(text: str, by: int) -> str:
    """Return statements moved right by `by` columns (left when negative), but not their strings.

    A line inside a string that spans lines belongs to the string.
    """
    lines = text.split("\n")
    inside = _string_lines(text, -by if by < 0 else 0)
    made = []
    for number, line in enumerate(lines, 1):
        if number in inside or not line.strip():
            made.append(line)
        elif by >= 0:
            made.append(" " * by + line)
        else:
            indent = len(line) - len(line.lstrip())
            made.append(line[min(-by, indent) :])
    return "\n".join(made)


def _string_lines(text: str, column: int) -> set[int]:
    """Return the lines of `text` that begin within a string."""
    found: set[int] = set()
    source = f"if 1:\n{text}\n" if column else f"{text}\n"
    offset = 1 if column else 0
    starts: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            name = tokenize.tok_name[token.type]
            if name == "STRING":
                found.update(range(token.start[0] + 1 - offset, token.end[0] + 1 - offset))
            elif name == "FSTRING_START":
                starts.append(token.start[0])
            elif name == "FSTRING_END":
                first = starts.pop()
                if not starts:
                    found.update(range(first + 1 - offset, token.end[0] + 1 - offset))
    except (tokenize.TokenError, IndentationError):
        # Text that does not stand alone has no strings over lines that could be told.
        return found
    return found
