"""A file's top-level statements: what each binds, uses and changes, and the comments above it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine.references import Import, Reference, bound_names, own_nodes, references

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, eq=False)
class Segment:
    """One top-level statement with the comments above it; lines are 1-based and inclusive.

    Parameters
    ----------
    binds
        Names that exist at module level after it.
    changes
        Names of objects bound elsewhere that it changes: `table[key] = …`, `table.update(…)`.
    uses
        References to the module, those within functions included.
    imports
        Import statements in it that run when it does.
    alone
        Whether no other statement shares a line with it.
    """

    node: ast.stmt
    first_line: int
    last_line: int
    binds: frozenset[str]
    changes: frozenset[str]
    uses: tuple[Reference, ...]
    imports: tuple[Import, ...]
    alone: bool = True


def segments(
    tree: ast.Module,
    lines: list[str],
    is_user_import: Callable[[Import], bool] = lambda _: False,
) -> list[Segment]:
    """Return the module's statements, each reaching up over its decorators and comment block."""
    found: list[Segment] = []
    previous_end = 0
    for position, node in enumerate(tree.body):
        decorators = getattr(node, "decorator_list", [])
        start = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        first = start
        while first - 1 > previous_end and lines[first - 2].lstrip().startswith("#"):
            first -= 1
        last = node.end_lineno or node.lineno
        after = tree.body[position + 1] if position + 1 < len(tree.body) else None
        alone = start > previous_end and (after is None or after.lineno > last)
        found.append(_segment(node, first, last, is_user_import, alone=alone))
        previous_end = last
    return found


def _segment(
    node: ast.stmt,
    first: int,
    last: int,
    is_user_import: Callable[[Import], bool],
    *,
    alone: bool,
) -> Segment:
    imports = tuple(
        one for one in own_nodes([node]) if isinstance(one, (ast.Import, ast.ImportFrom))
    )
    uses = tuple(references([node], is_user_import))
    users = {
        alias.asname or alias.name.split(".")[0]
        for one in imports
        if is_user_import(one)
        for alias in one.names
    }
    binds = (bound_names([node]) - users) | {
        name for one in ast.walk(node) if isinstance(one, ast.Global) for name in one.names
    }
    return Segment(
        node, first, last, frozenset(binds - {"*"}), frozenset(_changed(node)), uses, imports, alone
    )


def _changed(node: ast.stmt) -> set[str]:
    names: set[str] = set()
    for one in own_nodes([node]):
        if isinstance(one, (ast.Attribute, ast.Subscript)) and isinstance(one.ctx, ast.Store):
            names.add(root_name(one))
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
            called = one.value.func
            if isinstance(called, ast.Attribute):
                names.add(root_name(called))
            elif isinstance(called, ast.Name) and called.id == "setattr" and one.value.args:
                names.add(root_name(one.value.args[0]))
    return names - {""}


def root_name(node: ast.expr) -> str:
    """Return the name an expression such as `a.b[c].d` starts with, or an empty string."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_main(node: ast.stmt) -> bool:
    """Tell whether `node` is the block that runs only when the file is the script."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
