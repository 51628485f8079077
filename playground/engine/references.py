"""Which names in a piece of code mean something of its module, and not something local."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Import = ast.Import | ast.ImportFrom
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, eq=False)
class Reference:
    """A name that is looked up in the module, or in an import inside a function.

    Parameters
    ----------
    node
        The name itself.
    attributes
        The attributes read from it, `a.b.c` giving `.b` and `.c`.
    imported
        The import statement in a function that binds the name, with its alias; None for a name of
        the module.
    hidden
        Names that mean something local where the reference stands.
    text
        The f-string around it, if it is in one.
    """

    node: ast.Name
    attributes: tuple[ast.Attribute, ...] = ()
    imported: tuple[Import, ast.alias] | None = None
    hidden: frozenset[str] = frozenset()
    text: ast.JoinedStr | None = None


@dataclass
class _Frame:
    names: set[str]
    imported: dict[str, tuple[Import, ast.alias]] = field(default_factory=dict)
    is_class: bool = False


def references(
    nodes: Iterable[ast.AST], is_user_import: Callable[[Import], bool] = lambda _: False
) -> list[Reference]:
    """Return the references to module level in `nodes`, which stand at module level themselves.

    Parameters
    ----------
    is_user_import
        Tells of an import statement whether it is of the user's own modules. Inside functions such
        imports bind no local name: what they name is a reference.
    """
    finder = _Finder(is_user_import)
    for node in nodes:
        finder.visit(node)
    return finder.found


def bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that the statements `nodes` bind in the scope they stand in."""
    names: set[str] = set()
    for node in own_nodes(nodes):
        names |= _bound_by(node)
    return names


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield `nodes` and what is within, of functions and classes the node alone."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _COMPREHENSIONS):
            stack += [one for one in ast.walk(node) if isinstance(one, ast.NamedExpr)]
        elif not isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
        ):
            stack += ast.iter_child_nodes(node)


def bound_name(alias: ast.alias) -> str:
    """Return the name that an import's alias binds."""
    return alias.asname or alias.name.split(".")[0]


def _bound_by(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, (ast.Store, ast.Del)) else set()
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {bound_name(alias) for alias in node.names}
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return {node.name} if node.name else set()
    return set()


class _Finder(ast.NodeVisitor):
    def __init__(self, is_user_import: Callable[[Import], bool]) -> None:
        self.found: list[Reference] = []
        self._is_user_import = is_user_import
        self._frames: list[_Frame] = []
        self._text: ast.JoinedStr | None = None

    def visit_Name(self, node: ast.Name) -> None:
        self._add(node, ())

    def visit_Attribute(self, node: ast.Attribute) -> None:
        attributes: list[ast.Attribute] = []
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            attributes.insert(0, base)
            base = base.value
        if isinstance(base, ast.Name):
            self._add(base, tuple(attributes))
        else:
            self.visit(base)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        outer, self._text = self._text, self._text or node
        self.generic_visit(node)
        self._text = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._outside(node.args)
        self._inside(_Frame(_parameters(node.args)), [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *(one.value for one in node.keywords)):
            self.visit(part)
        self._inside(self._frame(node.body, set(), is_class=True), node.body)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    ) -> None:
        targets: set[str] = set()
        for generator in node.generators:
            targets |= bound_names([generator.target])
        self._inside(_Frame(targets), ast.iter_child_nodes(node))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in node.decorator_list:
            self.visit(part)
        self._outside(node.args)
        if node.returns is not None:
            self.visit(node.returns)
        self._inside(self._frame(node.body, _parameters(node.args)), node.body)

    def _outside(self, arguments: ast.arguments) -> None:
        for part in (*arguments.defaults, *arguments.kw_defaults):
            if part is not None:
                self.visit(part)
        for argument in _every(arguments):
            if argument.annotation is not None:
                self.visit(argument.annotation)

    def _frame(self, body: list[ast.stmt], names: set[str], *, is_class: bool = False) -> _Frame:
        frame = _Frame(set(names), is_class=is_class)
        elsewhere: set[str] = set()
        for node in own_nodes(body):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                elsewhere.update(node.names)
            elif isinstance(node, (ast.Import, ast.ImportFrom)) and self._is_user_import(node):
                frame.imported.update({bound_name(alias): (node, alias) for alias in node.names})
            else:
                frame.names |= _bound_by(node)
        frame.names -= elsewhere
        return frame

    def _inside(self, frame: _Frame, nodes: Iterable[ast.AST]) -> None:
        self._frames.append(frame)
        for node in nodes:
            self.visit(node)
        self._frames.pop()

    def _add(self, node: ast.Name, attributes: tuple[ast.Attribute, ...]) -> None:
        innermost = len(self._frames) - 1
        hidden: set[str] = set()
        imported = None
        for place in range(innermost, -1, -1):
            frame = self._frames[place]
            if frame.is_class and place != innermost:
                continue
            if node.id in frame.names:
                return
            if node.id in frame.imported and imported is None:
                imported = frame.imported[node.id]
            hidden |= frame.names
        self.found.append(Reference(node, attributes, imported, frozenset(hidden), self._text))


def _every(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [one for one in (arguments.vararg, arguments.kwarg) if one is not None]


def _parameters(arguments: ast.arguments) -> set[str]:
    return {argument.arg for argument in _every(arguments)}
