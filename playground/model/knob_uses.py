"""What a kernel's text uses its constexprs for: how a knob steps follows from that.

A block's length has to be a power of two, a loop's length or a number of stages may be any whole
number, and what only conditions ask for is a switch. The value alone does not tell: 2 may be each.
"""

from __future__ import annotations

import ast
import textwrap
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Use = Literal["block", "count", "stages", "flag"]
"""A length of a block; how often a loop runs; how many rounds it works ahead; a condition."""

_SHAPED = frozenset({"arange", "zeros", "full", "reshape", "view", "broadcast_to",
                     "make_block_ptr", "make_tensor_descriptor", "max_contiguous",
                     "multiple_of"})  # fmt: skip
_SECOND = frozenset({"arange", "max_contiguous", "multiple_of"})
"""Those whose first argument says where, not how much."""
_LOOPS = frozenset({"range", "static_range"})


@lru_cache(maxsize=256)
def uses_in(text: str) -> dict[str, Use]:
    """Return what the parameters of a kernel are used for, as far as its text tells.

    Parameters
    ----------
    text
        The definition's source, with its decorators or without; nothing is told of other text.
    """
    try:
        tree = tree_of(textwrap.dedent(text))
    except (SyntaxError, ValueError):
        return {}
    function = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)
    if function is None:
        return {}
    arguments = function.args
    names = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    found: dict[str, Use] = {}
    blocks, counts, stages = _named_in_calls(function)
    tested, elsewhere = _tested(function)
    for name in names:
        if name in blocks:
            found[name] = "block"
        elif name in stages:
            found[name] = "stages"
        elif name in counts:
            found[name] = "count"
        elif name in tested - elsewhere:
            found[name] = "flag"
    return found


def _named_in_calls(function: ast.FunctionDef) -> tuple[set[str], set[str], set[str]]:
    """Return the names that lengths of blocks, bounds of loops, and stages are made of."""
    blocks: set[str] = set()
    counts: set[str] = set()
    stages: set[str] = set()
    for call in ast.walk(function):
        if not isinstance(call, ast.Call):
            continue
        name = _last_name(call.func)
        if name in _SHAPED:
            given = call.args[1:] if name in _SECOND else call.args
            for argument in (*given, *(item.value for item in call.keywords)):
                blocks |= _names(argument)
        elif name in _LOOPS:
            # The step of a loop is what it takes at a time; its bounds are how far it goes.
            for argument in call.args[:2]:
                counts |= {argument.id} if isinstance(argument, ast.Name) else set()
            for item in call.keywords:
                if item.arg in ("num_stages", "loop_unroll_factor"):
                    stages |= _names(item.value)
    return _with_origins(function, blocks), counts, stages


def _with_origins(function: ast.FunctionDef, names: set[str]) -> set[str]:
    """Return names and what those that the function sets are made of."""
    found = set(names)
    before = -1
    while before != len(found):
        before = len(found)
        for node in ast.walk(function):
            targets = node.targets if isinstance(node, ast.Assign) else (
                [node.target] if isinstance(node, ast.AnnAssign) else []
            )  # fmt: skip
            value = getattr(node, "value", None)
            if value is not None and any(
                isinstance(target, ast.Name) and target.id in found for target in targets
            ):
                found |= _names(value)
    return found


def _tested(function: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """Return the names that stand alone as conditions, and those that stand anywhere else."""
    conditions: set[ast.expr] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            conditions |= set(_conditions(node.test))
    tested = {node.id for node in conditions if isinstance(node, ast.Name)}
    handed_on = {
        value
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        for value in (*call.args, *(item.value for item in call.keywords))
    }  # to another function, which asks for it in its turn
    elsewhere = {
        node.id
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node not in conditions and node not in handed_on
    }
    return tested, elsewhere


def _conditions(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _conditions(value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _conditions(node.operand)
    else:
        yield node


def _names(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
