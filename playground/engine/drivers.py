"""Running a driver in a loaded module's namespace, and finding the reference that goes with it."""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

from playground.engine.source_text import lines_of

if TYPE_CHECKING:
    from collections.abc import Mapping

DRIVER_FILE = "<driver>"
"""The file name in tracebacks of code that the user typed as a driver."""


def with_sizes(code: str, sizes: Mapping[str, int]) -> str:
    """Return driver `code` with `sizes` put in as keywords of every call of `example`."""
    if not sizes or not code.strip():
        return code
    tree = ast.parse(code, DRIVER_FILE)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_name(node.func, "example"):
            kept = [keyword for keyword in node.keywords if keyword.arg not in sizes]
            added = [
                ast.keyword(name, ast.Constant(value)) for name, value in sorted(sizes.items())
            ]
            node.keywords = [*kept, *added]
    return ast.unparse(ast.fix_missing_locations(tree))


def run_driver(code: str, namespace: dict[str, Any]) -> Any:
    """Execute driver `code` in `namespace`; return the value of its last expression, else None."""
    lines = lines_of(code, keep_ends=True)
    linecache.cache[DRIVER_FILE] = (len(code), None, lines, DRIVER_FILE)
    tree = ast.parse(code, DRIVER_FILE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, DRIVER_FILE, "exec"), namespace)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), DRIVER_FILE, "eval"), namespace)


def reference_code(code: str, namespace: Mapping[str, Any]) -> str | None:
    """Return the expression that calls `reference` as driver `code` calls `example`, if it does."""
    if not callable(namespace.get("reference")) or not code.strip():
        return None
    tree = ast.parse(code, DRIVER_FILE)
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _is_name(node.func, "example")
    ]
    if len(calls) != 1:
        return None
    call = calls[0]
    call.func = ast.copy_location(ast.Name("reference", ast.Load()), call.func)
    return ast.unparse(call)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
