"""Loop variables in a kernel: run-time numbers when compiled, plain ones in the interpreter.

`for i in range(n): i.to(tl.int64)` compiles, because `i` is a scalar tensor. In Triton's
interpreter it is a Python integer, which has none of a tensor's methods. Here it is an integer that
becomes a tensor as soon as something of a tensor's is asked of it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class LoopIndex(int):
    """The number of a round; sums and products of it are of its kind."""

    def __getattr__(self, name: str) -> Any:
        # Asked only for what an integer lacks: `to`, `dtype`, `cast`…
        return getattr(_tensor(int(self)), name)

    def __add__(self, other: Any) -> Any:
        return _kept(int(self).__add__(other))

    def __sub__(self, other: Any) -> Any:
        return _kept(int(self).__sub__(other))

    def __mul__(self, other: Any) -> Any:
        return _kept(int(self).__mul__(other))

    def __floordiv__(self, other: Any) -> Any:
        return _kept(int(self).__floordiv__(other))

    def __mod__(self, other: Any) -> Any:
        return _kept(int(self).__mod__(other))

    def __radd__(self, other: Any) -> Any:
        return _kept(int(self).__radd__(other))

    def __rsub__(self, other: Any) -> Any:
        return _kept(int(self).__rsub__(other))

    def __rmul__(self, other: Any) -> Any:
        return _kept(int(self).__rmul__(other))


def _kept(value: Any) -> Any:
    return LoopIndex(value) if value is not NotImplemented else value


def _tensor(value: int) -> Any:
    from triton.runtime import interpreter

    return interpreter.interpreter_semantic.to_tensor(value, False)


def indices(values: Iterable[Any]) -> Iterator[Any]:
    """Return the rounds of a loop, those that are plain integers as `LoopIndex`."""
    for value in values:
        yield LoopIndex(value) if type(value) is int else value


NAMES = {"playground_indices": indices}


class Loops(ast.NodeTransformer):
    """Puts `indices` around what a `for` goes over, except where the compiler unrolls it."""

    def visit_For(self, node: ast.For) -> ast.AST:
        """Return the loop over run-time numbers."""
        self.generic_visit(node)
        if isinstance(node.iter, ast.Call) and _is_range(node.iter.func):
            called = ast.Call(ast.Name("playground_indices", ast.Load()), [node.iter], [])
            node.iter = ast.fix_missing_locations(ast.copy_location(called, node.iter))
        return node


def _is_range(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == "range"
