"""What of a syntax tree belongs to host code, scope by scope."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.model.outline import is_jit

if TYPE_CHECKING:
    from collections.abc import Iterator

LIBRARIES = frozenset({"torch", "triton", "tl", "np", "numpy", "math", "F", "functools"})
"""Names whose attributes are not the user's."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_own(node: ast.Attribute) -> bool:
    """Tell whether an attribute is looked up in something else than a library."""
    inner: ast.expr = node.value
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return not (isinstance(inner, ast.Name) and inner.id in LIBRARIES)


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope; functions and classes inside it as one node each.

    Their defaults, bases and decorators belong to the scope around; annotations to nobody.
    """
    stack: list[ast.AST] = list(_body(scope))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Function):
            if not is_jit(node):
                stack.extend(node.args.defaults)
                stack.extend(item for item in node.args.kw_defaults if item is not None)
        elif isinstance(node, ast.ClassDef):
            stack.extend(node.bases)
        elif isinstance(node, ast.AnnAssign):
            stack.append(node.target)
            if node.value is not None:
                stack.append(node.value)
        else:
            stack.extend(ast.iter_child_nodes(node))


def _body(scope: ast.AST) -> list[ast.AST]:
    if isinstance(scope, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return list(scope.body)
    return list(ast.iter_child_nodes(scope))
