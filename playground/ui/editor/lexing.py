"""Python text as coloured spans per line; an edit reads again only what can have changed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int, str]
"""Start column, length, and what it is: the part of a theme token after `code_`."""

# A line that starts a statement in column 0 reads the same whatever stands above it, unless it lies
# within a string of several lines.
_STARTS_STATEMENT = re.compile(r"[@A-Za-z_]")


@dataclass
class LexedText:
    """Lines of text with their spans; `inside` marks lines that begin within a string."""

    lines: list[str] = field(default_factory=list)
    spans: list[tuple[Span, ...]] = field(default_factory=list)
    inside: list[bool] = field(default_factory=list)

    def update(self, text: str) -> tuple[int, int]:
        """Take new text; return the first line read again and the one after the last."""
        new = text.split("\n")
        old = self.lines
        limit = min(len(old), len(new))
        same_above = 0
        while same_above < limit and old[same_above] == new[same_above]:
            same_above += 1
        if same_above == len(old) == len(new):
            return 0, 0
        same_below = 0
        while same_below < limit - same_above and old[-1 - same_below] == new[-1 - same_below]:
            same_below += 1
        start = min(same_above, len(old) - 1)
        while start > 0 and not self._is_safe(start):
            start -= 1
        start = max(start, 0)
        if start >= same_above and start > 0:
            start = self._safe_before(same_above)
        shift = len(old) - len(new)
        first_below = len(new) - same_below
        spans: list[tuple[Span, ...]] = []
        inside: list[bool] = []
        stop = len(new)
        for line, line_spans, line_inside in _lex(new, start):
            if (
                line > first_below
                and not line_inside
                and _STARTS_STATEMENT.match(new[line])
                and not self.inside[line + shift]
            ):
                stop = line
                break
            spans.append(line_spans)
            inside.append(line_inside)
        self.spans = self.spans[:start] + spans + self.spans[stop + shift :]
        self.inside = self.inside[:start] + inside + self.inside[stop + shift :]
        self.lines = new
        return start, stop

    def _is_safe(self, line: int) -> bool:
        return not self.inside[line] and bool(_STARTS_STATEMENT.match(self.lines[line]))

    def _safe_before(self, line: int) -> int:
        line = min(line, len(self.lines)) - 1
        while line > 0 and not self._is_safe(line):
            line -= 1
        return max(line, 0)


_kinds: dict[Any, str] = {}


def _lex(lines: list[str], start: int) -> Iterator[tuple[int, tuple[Span, ...], bool]]:
    # Pygments takes long to import and the window is on screen before it is needed.
    from pygments.lexers.python import PythonLexer

    text = "\n".join(lines[start:]) + "\n"
    line, column = start, 0
    spans: list[Span] = []
    inside = False
    for _, token, value in PythonLexer().get_tokens_unprocessed(text):
        kind = _kinds.get(token)
        if kind is None:
            kind = _kinds[token] = _kind(token)
        parts = value.split("\n")
        for index, part in enumerate(parts):
            if index:
                yield line, tuple(spans), inside
                line, column, spans = line + 1, 0, []
                # Within a string the break and what follows it come as string tokens.
                inside = kind == "string"
                if line >= len(lines):
                    return
            if part:
                # Qt counts columns in UTF-16 units.
                width = len(part) if part.isascii() else len(part.encode("utf-16-le")) // 2
                if kind:
                    if spans and spans[-1][2] == kind and sum(spans[-1][:2]) == column:
                        spans[-1] = (spans[-1][0], spans[-1][1] + width, kind)
                    else:
                        spans.append((column, width, kind))
                column += width
    if line < len(lines):
        yield line, tuple(spans), inside


def _kind(token: Any) -> str:
    from pygments.token import (
        Comment,
        Keyword,
        Name,
        Number,
        Operator,
        String,
    )

    for kinds, name in (
        ((Keyword, Operator.Word), "keyword"), ((String,), "string"), ((Comment,), "comment"),
        ((Number,), "number"), ((Name.Function, Name.Class), "name"),
        ((Name.Decorator,), "decorator"), ((Name.Builtin, Name.Exception), "builtin"),
    ):  # fmt: skip
        if any(token in kind for kind in kinds):
            return name
    return ""
