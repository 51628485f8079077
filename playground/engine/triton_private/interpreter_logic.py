"""`and`, `or` and `not` in a kernel, as the compiler takes them.

The compiler makes them element by element and evaluates every side that is known only at run time.
Triton's interpreter leaves them to Python, where a block is always true: `a and b` is `b`, and
`not a` is False.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

import triton.language as tl

if TYPE_CHECKING:
    from collections.abc import Callable


def _joined(method: str, decides: bool, operands: tuple[Callable[[], Any], ...]) -> Any:
    found = []
    value: Any = None
    for operand in operands:
        value = operand()
        if isinstance(value, tl.tensor):
            found.append(value)
        elif bool(value) is decides:
            return value
    if not found:
        return value
    return functools.reduce(lambda left, right: getattr(left, method)(right), found)


def all_of(*operands: Callable[[], Any]) -> Any:
    """Return `a and b …` of what the operands, called in turn, return."""
    return _joined("logical_and", False, operands)


def any_of(*operands: Callable[[], Any]) -> Any:
    """Return `a or b …` of what the operands, called in turn, return."""
    return _joined("logical_or", True, operands)


def none_of(value: Any) -> Any:
    """Return `not value`."""
    if isinstance(value, tl.tensor) and value.type.is_block():
        return value == 0
    return not value


NAMES = {"playground_all_of": all_of, "playground_any_of": any_of, "playground_none_of": none_of}


class Logic(ast.NodeTransformer):
    """Puts calls of the functions above in the place of the operators."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Return the call for `and` or `or`."""
        self.generic_visit(node)
        if any(isinstance(item, ast.NamedExpr) for item in ast.walk(node)):
            return node  # what it binds belongs to the kernel, not to a function within
        name = "playground_all_of" if isinstance(node.op, ast.And) else "playground_any_of"
        return self._call(name, [ast.Lambda(_no_arguments(), value) for value in node.values], node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Return the call for `not`."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return self._call("playground_none_of", [node.operand], node)

    def _call(self, name: str, arguments: list[Any], node: ast.expr) -> ast.AST:
        called = ast.Call(ast.Name(name, ast.Load()), arguments, [])
        return ast.fix_missing_locations(ast.copy_location(called, node))


def _no_arguments() -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )
