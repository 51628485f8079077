"""Where a file asserts something about a kernel's values while it runs."""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING

from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Assertion = tuple[str, int, str]
"""A file, a line, and the text that the assertion prints; empty where it has none."""


def assertions(files: Iterable[str]) -> list[Assertion]:
    """Return every `tl.device_assert` of the files, in the order of their lines."""
    found: list[Assertion] = []
    for file in files:
        try:
            tree = tree_of("".join(linecache.getlines(file)))
        except (SyntaxError, ValueError):  # changed meanwhile
            continue
        found += [
            (file, node.lineno, _text(node))
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _is_device_assert(node.func)
        ]
    return sorted(found)


def is_one(file: str, line: int) -> bool:
    """Tell whether a `tl.device_assert` begins on a line of a file."""
    return any(at == line for _, at, _ in assertions([file]))


def asserts_by_itself(file: str, line: int) -> bool:
    """Tell whether an assertion of the user's (`assert`, `tl.static_assert`) stands on a line."""
    try:
        tree = tree_of("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):  # changed meanwhile
        return True
    return any(
        node.lineno <= line <= (node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
        or (isinstance(node, ast.Call) and _called(node.func) in ("static_assert", "device_assert"))
    )


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_device_assert(function: ast.expr) -> bool:
    return _called(function) == "device_assert"


def _text(call: ast.Call) -> str:
    given = call.args[1:2] or [item.value for item in call.keywords if item.arg == "msg"]
    value = getattr(given[0], "value", "") if given else ""
    return value if isinstance(value, str) else ""
