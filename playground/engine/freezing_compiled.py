"""Where a kernel that is launched as compiled was compiled: its options are written there.

The runner of a compiled kernel takes arguments alone: `KERNEL[grid](x, n, num_warps=4)` is a
TypeError. What decides is the call that made it, `KERNEL = kernel.warmup(..., num_warps=4)`, or an
earlier launch whose value was kept.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def compiling_calls(tree: ast.Module, launch: ast.Call, kernel: str) -> list[ast.Call]:
    """Return the calls that compile what `launch` launches; none where that is a kernel itself.

    Parameters
    ----------
    kernel
        The name of the kernel that was launched.
    """
    if not isinstance(launch.func, ast.Subscript):
        return []
    name = _last_name(launch.func.value)
    if not name or name == kernel:
        return []
    values = list(_values_of(tree, name, kernel))
    made = [call for value in values for call in ast.walk(value) if _compiles(call, kernel)]
    if made or values:
        return [call for call in made if isinstance(call, ast.Call)]
    # Kept in a table, or a parameter: what compiles the kernel in this file is what was meant.
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and _compiles(node, kernel)
    ]


def passed_to(call: ast.Call, parameters: Sequence[str]) -> dict[str, ast.expr]:
    """Return what a call passes, by the kernel's parameter names and by its options' names."""
    passed = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    for name, value in zip(parameters, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        passed.setdefault(name, value)
    return passed


def _compiles(node: ast.AST, kernel: str) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "warmup" and _last_name(node.func.value) == kernel
    return isinstance(node.func, ast.Subscript) and _last_name(node.func.value) == kernel


def _values_of(tree: ast.Module, name: str, kernel: str) -> Iterator[ast.expr]:
    """Yield what is assigned to a name, or to an attribute of that name."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            if any(_last_name(part) == name for part in parts):
                # `kernel, blocks = compiled.get(size)`: what is taken apart does not say.
                if isinstance(target, ast.Tuple) and not any(
                    _compiles(part, kernel) for part in ast.walk(node.value)
                ):
                    continue
                yield node.value


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
