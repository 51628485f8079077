"""Statements by which a file chooses between Triton's interpreter and its compiler."""

from __future__ import annotations

import ast

_VARIABLE = "TRITON_INTERPRET"
_CALLS = ("setdefault", "pop", "putenv", "unsetenv", "setenv", "update")
"""What changes the environment by a call."""


def chooses_mode(node: ast.AST) -> bool:
    """Tell whether `node` itself sets or removes `TRITON_INTERPRET` in the environment."""
    if isinstance(node, ast.Expr):
        return chooses_mode(node.value)
    if isinstance(node, ast.Assign | ast.Delete):
        subscripts = (target for target in node.targets if isinstance(target, ast.Subscript))
        return any(_is_variable(target.slice) for target in subscripts)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if node.func.attr != "update":
        return node.func.attr in _CALLS and any(map(_is_variable, node.args[:1]))
    named = [key for each in node.args if isinstance(each, ast.Dict) for key in each.keys]
    return any(map(_is_variable, named)) or any(each.arg == _VARIABLE for each in node.keywords)


def _is_variable(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == _VARIABLE
