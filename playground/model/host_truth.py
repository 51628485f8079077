"""Which conditions of a launcher hold for what a driver passes, as far as its text tells."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from playground.model.host_use import HostTensor, Parameter, Shape
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
        rank = self.rank_of(left)
        if rank is not None:
            return _ranks(rank, operator, right)
        if not isinstance(right, ast.Constant):
            return None
        value = self.value(left)
        if not isinstance(value, Parameter):
            # What was made of a tensor is there.
            known = isinstance(value, HostTensor) and right.value is None
            return isinstance(operator, ast.IsNot) if known else None
        if value.given and isinstance(right.value, str) and not value.is_tensor:
            return _word(value, operator, right.value)
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

    def rank_of(self, node: ast.expr) -> int | None:
        """Return the rank that `x.dim()`, `x.ndim` or `len(x.shape)` gives, where it is known."""
        target = node.func if isinstance(node, ast.Call) else node
        if isinstance(target, ast.Attribute) and target.attr in ("dim", "ndim"):
            tensor = self.value(target.value)
            return tensor.rank if isinstance(tensor, HostTensor) else None
        if isinstance(node, ast.Call) and called(node) == "len" and len(node.args) == 1:
            shape = self.value(node.args[0])
            return shape.tensor.rank if isinstance(shape, Shape) else None
        return None

    def is_instance(self, node: ast.expr, kind: ast.expr) -> bool | None:
        """Return whether a parameter is a tensor; of other classes nothing is known."""
        value = self.value(node)
        if ast.unparse(kind) not in ("torch.Tensor", "Tensor") or not isinstance(value, Parameter):
            return None
        if not value.given and _is_known(value.default):
            return False
        return True if value.is_tensor else None


def _ranks(rank: int, operator: ast.cmpop, right: ast.expr) -> bool | None:
    """Compare a known rank with a number, or with several."""
    try:
        other: object = ast.literal_eval(right)
    except ValueError:
        return None
    if isinstance(other, (tuple, list, set)) and isinstance(operator, (ast.In, ast.NotIn)):
        return (rank in other) is isinstance(operator, ast.In)
    if not isinstance(other, int):
        return None
    known: dict[type[ast.cmpop], bool] = {
        ast.Eq: rank == other, ast.NotEq: rank != other, ast.Lt: rank < other,
        ast.LtE: rank <= other, ast.Gt: rank > other, ast.GtE: rank >= other,
    }  # fmt: skip
    return known.get(type(operator))


def _word(value: Parameter, operator: ast.cmpop, text: str) -> bool | None:
    """Note a text that a parameter is compared with: a driver passes the first of them."""
    if not isinstance(operator, (ast.Eq, ast.NotEq)):
        return None
    if text not in value.words:
        value.words.append(text)
    return (value.words[0] == text) is isinstance(operator, ast.Eq)


def _is_known(default: object) -> bool:
    """Tell whether a default is a constant."""
    return default is None or isinstance(default, (bool, int, float, str))
