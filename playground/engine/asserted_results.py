"""Plain `assert`s of host code that look at what a launch left: noted when they hold.

`assert part.sum().item() == n` judges a launch as `torch.testing.assert_close` does, and better
than nothing can where a buffer has another shape under each config. An assertion counts where it
reads the contents of something that was passed to a launch, or came of one; what it says of sizes
says nothing about results.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.engine import own_checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HELD = "__playground_held__"
_READS = frozenset({
    "item", "sum", "all", "any", "max", "min", "mean", "norm", "tolist", "numpy", "abs", "amax",
    "amin", "prod", "eq", "count_nonzero", "equal", "argmax",
})  # fmt: skip
_SAY_LITTLE = frozenset({"isnan", "isfinite", "isinf", "is_contiguous", "data_ptr"})


def attach(namespace: dict[str, object]) -> None:
    """Put what noted assertions call into the module that they run in."""
    namespace[_HELD] = own_checks.held


def note(scope: ast.AST, is_launch: Callable[[ast.AST], bool]) -> None:
    """Have the assertions of a scope that judge a launch say that they held."""
    statements = list(_own(scope))
    if not any(isinstance(each, ast.Assert) for each in statements):
        return
    reached, read = _followed(statements, is_launch)
    if not reached:
        return
    for each in statements:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(each, field, None)
            if isinstance(block, list):
                _note_in(block, reached, read)
    _note_in(getattr(scope, "body", []), reached, read)


def _note_in(block: list[ast.stmt], reached: set[str], read: set[str]) -> None:
    for at in range(len(block) - 1, -1, -1):
        statement = block[at]
        if not isinstance(statement, ast.Assert):
            continue
        test = statement.test
        little = any(getattr(each, "attr", "") in _SAY_LITTLE for each in ast.walk(test))
        if not little and (_reads(test, reached) or _names(test) & read):
            held = ast.Expr(ast.Call(ast.Name(_HELD, ast.Load()), [], []))
            block.insert(at + 1, ast.copy_location(held, statement))


def _followed(
    statements: list[ast.AST], is_launch: Callable[[ast.AST], bool]
) -> tuple[set[str], set[str]]:
    """Return the names that hold what launches worked on, and numbers read of that."""
    reached: set[str] = set()
    read: set[str] = set()
    for each in statements:
        if isinstance(each, ast.Call) and is_launch(each):
            for passed in (*each.args, *(keyword.value for keyword in each.keywords)):
                reached |= _names(passed)
    before = (-1, -1)
    while before != (len(reached), len(read)):
        before = len(reached), len(read)
        for each in statements:
            if not isinstance(each, (ast.Assign, ast.AnnAssign)) or each.value is None:
                continue
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            names = {name for target in targets for name in _names(target)}
            launched = any(is_launch(part) for part in ast.walk(each.value))
            if _reads(each.value, reached) or _names(each.value) & read:
                read |= names
            elif launched:
                reached |= names
    return reached, read


def _reads(node: ast.expr, reached: set[str]) -> bool:
    return any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in _READS
        and bool(_names(each) & reached)
        for each in ast.walk(node)
    )


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    stack: list[ast.AST] = list(getattr(scope, "body", []))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(node))
