"""Which conditions of a launcher hold for what a driver passes, as far as its text tells."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from playground.model.host_use import HostTensor, Parameter
from playground.model.kernel_terms import called

if TYPE_CHECKING:
    from playground.model.host_use import HostValue


class Truths(ABC):
    """Decides conditions; `truths` are the names that hold the outcome of one."""

    truths: dict[str, bool | None]

    @abstractmethod
    def value(self, node: ast.expr) -> HostValue:
        """Return what is known of an expression's value."""

    def truth(self, node: ast.expr) -> bool | None:
        """Return whether a condition holds for what a driver passes, where that is known."""
        if isinstance(node, ast.Constant):
            return bool(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(part) for part in node.values]
            decisive = isinstance(node.op, ast.Or)
            if decisive in parts:
                return decisive
            return None if None in parts else not decisive
        if isinstance(node, ast.Name) and node.id in self.truths:
            return self.truths[node.id]
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.compared(node.left, node.ops[0], node.comparators[0])
        if isinstance(node, ast.Call) and called(node) == "isinstance" and len(node.args) == 2:
            return self.is_instance(*node.args)
        value = self.value(node)
        if isinstance(value, Parameter) and not value.given:
            return bool(value.default) if _is_known(value.default) else None
        return None

    def compared(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool | None:
        """Return what comparing a parameter with a constant gives."""
        if not isinstance(right, ast.Constant):
            return None
        value = self.value(left)
        if not isinstance(value, Parameter):
            # What was made of a tensor is there.
            known = isinstance(value, HostTensor) and right.value is None
            return isinstance(operator, ast.IsNot) if known else None
        if value.given:
            if right.value is not None or "Optional" in value.annotation:
                return None
            return isinstance(operator, ast.IsNot)
        if not _is_known(value.default):
            return None
        same = value.default is right.value or value.default == right.value
        if isinstance(operator, (ast.Is, ast.Eq)):
            return same
        return not same if isinstance(operator, (ast.IsNot, ast.NotEq)) else None

    def is_instance(self, node: ast.expr, kind: ast.expr) -> bool | None:
        """Return whether a parameter is a tensor; of other classes nothing is known."""
        value = self.value(node)
        if ast.unparse(kind) not in ("torch.Tensor", "Tensor") or not isinstance(value, Parameter):
            return None
        if not value.given and _is_known(value.default):
            return False
        return True if value.is_tensor else None


def _is_known(default: object) -> bool:
    """Tell whether a default is a constant."""
    return default is None or isinstance(default, (bool, int, float, str))
