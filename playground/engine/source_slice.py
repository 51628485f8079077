"""The part of a file that some names need: their definitions, what those use, and the comments."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Segment:
    """One top-level statement with the comments above it; lines are 1-based and inclusive."""

    node: ast.stmt
    first_line: int
    last_line: int
    binds: frozenset[str]
    uses: frozenset[str]


def segments(tree: ast.Module, lines: list[str]) -> list[Segment]:
    """Return the module's statements, each reaching up over its decorators and comment block."""
    found: list[Segment] = []
    previous_end = 0
    for node in tree.body:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        while first - 1 > previous_end and lines[first - 2].lstrip().startswith("#"):
            first -= 1
        last = node.end_lineno or node.lineno
        found.append(Segment(node, first, last, frozenset(_binds(node)), frozenset(_uses(node))))
        previous_end = last
    return found


def needed(parts: list[Segment], roots: Iterable[str], *, keep_calls: bool = True) -> list[Segment]:
    """Return the segments that `roots` need, in the file's order.

    Module-level expression calls (`torch.manual_seed(0)`) stay when `keep_calls`, for they can
    change what the kept code does; `from __future__` and star imports always stay.
    """
    wanted = set(roots)
    kept: set[int] = set()
    changed = True
    while changed:
        changed = False
        for index, part in enumerate(parts):
            if index in kept or is_main(part.node):
                continue
            if part.binds & wanted or _always(part.node) or (keep_calls and _is_call(part.node)):
                kept.add(index)
                wanted |= part.uses
                changed = True
    return [trimmed(parts[index], wanted) for index in sorted(kept)]


def trimmed(part: Segment, wanted: set[str]) -> Segment:
    """Return an import segment with the names nobody needs left out; others as they are."""
    node = part.node
    if not isinstance(node, (ast.Import, ast.ImportFrom)) or _always(node):
        return part
    names = [alias for alias in node.names if _bound_name(alias) in wanted]
    if len(names) == len(node.names):
        return part
    shorter: ast.Import | ast.ImportFrom
    if isinstance(node, ast.Import):
        shorter = ast.Import(names)
    else:
        shorter = ast.ImportFrom(node.module, names, node.level)
    ast.copy_location(shorter, node)
    binds = frozenset(_bound_name(alias) for alias in names)
    return Segment(shorter, part.first_line, part.last_line, binds, part.uses)


def is_trimmed(part: Segment, tree: ast.Module) -> bool:
    """Tell whether `trimmed` made this statement anew, so that its text is not the file's."""
    return all(part.node is not node for node in tree.body)


def _bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]


def _binds(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {_bound_name(alias) for alias in node.names}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    names: set[str] = set()
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, (ast.Store, ast.Del)):
            names.add(child.id)
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            names |= _binds(child)
        elif isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            names.add(child.name)
    # `module.attribute = …` and `table[key] = …` change an object that was bound elsewhere.
    for target in getattr(node, "targets", []):
        base = target
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        if isinstance(base, ast.Name):
            names.add(base.id)
    return names


def _uses(node: ast.stmt) -> set[str]:
    return {
        child.id
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)
    }


def _always(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (
        node.module == "__future__" or any(alias.name == "*" for alias in node.names)
    )


def _is_call(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def is_main(node: ast.stmt) -> bool:
    """Tell whether `node` is the block that runs only when the file is the script."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
