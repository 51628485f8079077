"""The user's host code as it was loaded, and executing it again with a few values replaced.

Loading changes next to nothing (`host_watch`), so a driver costs what it always costs. When
a replay needs to know what the host code would compute for another block size, the same text is
executed anew, in fresh modules, with single expressions of its syntax tree replaced.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from playground.engine import host_watch
from playground.engine.imported_modules import imported_modules

if TYPE_CHECKING:
    import types
    from collections.abc import Container, Iterable, Iterator

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
        return (self.line, self.column, self.end_line, self.end_column) == _span(node)


Edit = tuple[Place, Any]
"""A place and the value put there."""

Span = tuple[int, int, int | None, int | None]
_Slot = tuple[ast.AST, str, int | None, ast.AST]
"""Where a node hangs: its parent, the field there, the index in that, and the node."""


class _Loaded:
    """A file as it was loaded; its tree is parsed once and edited in place, for the moment."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.tree = ast.parse(text, path)
        host_watch.watch(self.tree, path)
        ast.fix_missing_locations(self.tree)
        self.code: types.CodeType | None = None
        self.driver: tuple[types.CodeType, ast.expr | None] | None = None
        self._slots: dict[Span, list[_Slot]] | None = None

    def slots(self, place: Place) -> list[_Slot]:
        """Return where the nodes at a place hang, outermost first."""
        if self._slots is None:
            self._slots = {}
            for parent in ast.walk(self.tree):
                for name, value in ast.iter_fields(parent):
                    items = value if isinstance(value, list) else [value]
                    for index, item in enumerate(items):
                        if isinstance(item, (ast.expr, ast.arg)):
                            where = index if isinstance(value, list) else None
                            slot = (parent, name, where, item)
                            self._slots.setdefault(_span(item), []).append(slot)
        return self._slots.get((place.line, place.column, place.end_line, place.end_column), [])


OPENED = "_playground_"
"""How the names begin under which the files that were opened stand among the modules."""

_loaded: dict[str, _Loaded] = {}
_in_force: dict[str, list[Edit]] = {}


def compiled(text: str, path: str) -> types.CodeType:
    """Compile host code, with the edits in force for its file, and remember that it is loaded."""
    with _as_edited(text, path) as tree:
        if _in_force.get(path):
            return compile(tree, path, "exec", dont_inherit=True)
        loaded = _loaded[path]
        if loaded.code is None:
            loaded.code = compile(tree, path, "exec", dont_inherit=True)
        return loaded.code


def compiled_driver(text: str, path: str) -> tuple[types.CodeType, ast.expr | None]:
    """Compile what was typed as a driver as `compiled` does; its last expression is returned."""
    with _as_edited(text, path) as tree:
        loaded = _loaded[path]
        if loaded.driver is not None and not _in_force.get(path):
            return loaded.driver
        last = tree.body[-1] if tree.body else None
        made: tuple[types.CodeType, ast.expr | None]
        if isinstance(last, ast.Expr):
            first = ast.Module(tree.body[:-1], [])
            made = compile(first, path, "exec", dont_inherit=True), copy.deepcopy(last.value)
        else:
            made = compile(tree, path, "exec", dont_inherit=True), None
        if not _in_force.get(path):
            loaded.driver = made
        return made


@contextlib.contextmanager
def _as_edited(text: str, path: str) -> Iterator[ast.Module]:
    loaded = _loaded.get(path)
    if loaded is None or loaded.text != text:
        loaded = _loaded[path] = _Loaded(text, path)
    with contextlib.ExitStack() as stack:
        for place, value in _in_force.get(path, ()):
            stack.enter_context(_put(loaded, place, value))
        yield loaded.tree


def statements_after(text: str, path: str, line: int) -> Iterator[types.CodeType]:
    """Yield the code of each statement at the top of a file that begins behind `line`."""
    flags = 0
    for statement in ast.parse(text, path).body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                flags |= getattr(__future__, alias.name).compiler_flag
        elif statement.lineno > line:
            alone = ast.Module([statement], [])
            yield compile(alone, path, "exec", flags=flags, dont_inherit=True)


def is_loaded(file: str) -> bool:
    """Tell whether `file` is host code that was loaded here."""
    return file in _loaded


def text_of(file: str) -> str:
    """Return the text that `file` was loaded with; empty for one that was not."""
    loaded = _loaded.get(file)
    return "" if loaded is None else loaded.text


def files_in_use(besides: Container[str] = ()) -> tuple[str, ...]:
    """Return the loaded files whose modules are imported now, but for some that are known.

    A file that was opened before stays registered under a name of ours: that is no import.
    """
    if all(file in besides for file in list(_loaded)):
        return ()  # the usual case, without a look at thousands of modules

    def loaded(name: str, module: Any) -> bool:
        return not name.startswith(OPENED) and getattr(module, "__file__", None) in _loaded

    found = imported_modules(("host code", len(_loaded)), loaded)
    files = dict.fromkeys(module.__file__ for _, module in found)
    return tuple(file for file in files if file not in besides)


@contextlib.contextmanager
def edited(edits: Iterable[Edit]) -> Iterator[None]:
    """Put `edits` into every file that is compiled meanwhile."""
    for place, value in edits:
        _in_force.setdefault(place.file, []).append((place, value))
    try:
        yield
    finally:
        _in_force.clear()


@contextlib.contextmanager
def _put(loaded: _Loaded, place: Place, value: Any) -> Iterator[None]:
    """Put one value into a file's tree for the moment."""
    slots = loaded.slots(place)
    if place.kind in ("literal", "value"):
        found = [slot for slot in slots if isinstance(slot[3], ast.expr)][:1]
        for parent, name, index, node in found:
            _set(parent, name, index, ast.copy_location(_expression(value), node))
        try:
            yield
        finally:
            for parent, name, index, node in found:
                _set(parent, name, index, node)
        return
    bodies = [body for slot in slots if (body := _body_of(loaded, slot, place)) is not None][:1]
    for statements, start in bodies:
        statements.insert(start, _assignment(place, value))
    try:
        yield
    finally:
        for statements, start in bodies:
            del statements[start]


def _set(parent: ast.AST, name: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[index] = node
    ast.fix_missing_locations(node)


def _body_of(loaded: _Loaded, slot: _Slot, place: Place) -> tuple[list[ast.stmt], int] | None:
    """Return the statements that a parameter or a loop's name is bound anew in, and where."""
    parent = slot[0]
    if place.kind == "loop":
        return (parent.body, 0) if isinstance(parent, (ast.For, ast.AsyncFor)) else None
    for node in ast.walk(loaded.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.args is parent:
            return node.body, 1 if ast.get_docstring(node, clean=False) is not None else 0
    return None


def _span(node: ast.expr | ast.arg) -> Span:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _assignment(place: Place, value: Any) -> ast.stmt:
    made = ast.Assign([ast.Name(place.name, ast.Store())], _expression(value))
    made.lineno = made.end_lineno = place.line
    made.col_offset = made.end_col_offset = place.column
    return ast.fix_missing_locations(made)


def _expression(value: Any) -> ast.expr:
    import triton  # here: whether kernels are interpreted is decided after this module's import

    if isinstance(value, triton.language.dtype):
        # Written out, because a syntax tree holds plain constants only.
        text = f"__import__('triton.language', fromlist=['language']).dtype({str(value)!r})"
        return ast.parse(text, mode="eval").body
    if isinstance(value, int) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)
