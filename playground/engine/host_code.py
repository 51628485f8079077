"""The user's host code as it was loaded, and executing it again with a few values replaced.

Loading changes nothing: the text is compiled as it is, so a driver costs what it always costs. When
a replay needs to know what the host code would compute for another block size, the same text is
executed anew, in fresh modules, with single expressions of its syntax tree replaced.
"""

from __future__ import annotations

import ast
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import triton

if TYPE_CHECKING:
    import types
    from collections.abc import Iterable, Iterator

PlaceKind = Literal["literal", "value", "parameter", "loop"]


@dataclass(frozen=True)
class Place:
    """A place of host code where a value can be put.

    `literal` and `value` are expressions, replaced as a whole; `parameter` and `loop` bind `name`
    anew, at the start of the function or of the loop's body.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: PlaceKind
    name: str = ""

    @classmethod
    def of(cls, file: str, node: ast.expr | ast.arg, kind: PlaceKind, name: str = "") -> Place:
        """Return the place of a node."""
        return cls(
            file, node.lineno, node.col_offset, node.end_lineno or node.lineno,
            node.end_col_offset or node.col_offset, kind, name,
        )  # fmt: skip

    def is_at(self, node: ast.expr | ast.arg) -> bool:
        """Tell whether `node` stands exactly here."""
        return (self.line, self.column, self.end_line, self.end_column) == (
            node.lineno, node.col_offset, node.end_lineno, node.end_col_offset,
        )  # fmt: skip


Edit = tuple[Place, Any]
"""A place and the value put there."""

_texts: dict[str, str] = {}
_in_force: dict[str, list[Edit]] = {}


def compiled(text: str, path: str) -> types.CodeType:
    """Compile host code, with the edits in force for its file, and remember that it is loaded."""
    _texts[path] = text
    edits = _in_force.get(path)
    if not edits:
        return compile(text, path, "exec", dont_inherit=True)
    tree = _Editor(edits).visit(ast.parse(text, path))
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


def is_loaded(file: str) -> bool:
    """Tell whether `file` is host code that was loaded here."""
    return file in _texts


def text_of(file: str) -> str:
    """Return the text that `file` was loaded with; empty for one that was not."""
    return _texts.get(file, "")


@contextlib.contextmanager
def edited(edits: Iterable[Edit]) -> Iterator[None]:
    """Put `edits` into every file that is compiled meanwhile."""
    for place, value in edits:
        _in_force.setdefault(place.file, []).append((place, value))
    try:
        yield
    finally:
        _in_force.clear()


class _Editor(ast.NodeTransformer):
    def __init__(self, edits: list[Edit]) -> None:
        self._expressions = [edit for edit in edits if edit[0].kind in ("literal", "value")]
        self._bindings = [edit for edit in edits if edit[0].kind in ("parameter", "loop")]

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            for place, value in self._expressions:
                if place.is_at(node):
                    return ast.copy_location(_expression(value), node)
        self.generic_visit(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            start = 1 if ast.get_docstring(node, clean=False) is not None else 0
            for place, value in self._bindings:
                if place.kind == "parameter" and any(place.is_at(item) for item in every):
                    node.body.insert(start, _assignment(place, value))
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            for place, value in self._bindings:
                if place.kind == "loop" and place.is_at(node.target):
                    node.body.insert(0, _assignment(place, value))
        return node


def _assignment(place: Place, value: Any) -> ast.stmt:
    made = ast.Assign([ast.Name(place.name, ast.Store())], _expression(value))
    made.lineno = made.end_lineno = place.line
    made.col_offset = made.end_col_offset = place.column
    return made


def _expression(value: Any) -> ast.expr:
    if isinstance(value, triton.language.dtype):
        # Written out, because a syntax tree holds plain constants only.
        text = f"__import__('triton.language', fromlist=['language']).dtype({str(value)!r})"
        return ast.parse(text, mode="eval").body
    if isinstance(value, int) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)
