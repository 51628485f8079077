"""The lines of a file as a debugger steps through them: statements, and the loops around them."""

from __future__ import annotations

import ast
import bisect
import linecache
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Loop:
    """A loop's header and body by lines, both ends inclusive; `over` is what a `for` goes over."""

    header: int
    first: int
    last: int
    over: ast.expr | None = None


@dataclass
class Lines:
    """Which statement each line is of, and which loops are around it.

    A statement of several lines is told as its first one: the interpreter goes back and forth
    between them.
    """

    statements: dict[int, int] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, text: str) -> Lines:
        """Return the lines of a text; none where it does not parse."""
        found = cls()
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # changed since it ran
            return found
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt):
                found._add(node)
        found.starts = sorted(set(found.statements.values()))
        return found

    def _add(self, node: ast.stmt) -> None:
        body = getattr(node, "body", None)
        last = node.end_lineno or node.lineno
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            last = max(node.lineno, min(last, body[0].lineno - 1))
        for line in range(node.lineno, last + 1):
            # An inner statement on the line of an outer one (`if x: y = 1`) is the outer's.
            self.statements[line] = min(self.statements.get(line, node.lineno), node.lineno)
        if isinstance(node, (ast.For, ast.While)):
            over = node.iter if isinstance(node, ast.For) else None
            inside = node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno
            self.loops.append(Loop(node.lineno, *inside, over))

    def statement(self, line: int) -> int:
        """Return the first line of the statement that a line is of."""
        return self.statements.get(line, line)

    def next_statement(self, line: int) -> int:
        """Return where a breakpoint on a line stands: at its statement, or the next one's."""
        if line in self.statements:
            return self.statements[line]
        at = bisect.bisect_left(self.starts, line)
        return self.starts[at] if at < len(self.starts) else line

    def around(self, line: int) -> Iterator[Loop]:
        """Yield the loops that a line is in the body of, the innermost first."""
        inside = [loop for loop in self.loops if loop.first <= line <= loop.last]
        yield from sorted(inside, key=lambda loop: loop.first, reverse=True)


_known: dict[str, tuple[str, Lines]] = {}


def lines_of(file: str) -> Lines:
    """Return the lines of a file as Python last read it."""
    text = "".join(linecache.getlines(file))
    kept = _known.get(file)
    if kept is None or kept[0] != text:
        kept = _known[file] = text, Lines.of(text)
    return kept[1]
