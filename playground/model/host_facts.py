"""What a launcher's assertions and checks say: equal sizes, ranks, types."""

from __future__ import annotations

import ast
import re

from playground.model.host_expressions import Expressions
from playground.model.host_use import HostTensor, HostValue, Parameter, Shape
from playground.model.kernel_terms import called
from playground.model.symbolic import Sym, const, leaves, make

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Facts(Expressions):
    """Takes what a launcher's assertions say of its parameters."""

    def fact(self, test: ast.expr) -> None:
        """Take what an assertion says: equal sizes, a rank, a dtype."""
        negated = False
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            negated, test = not negated, test.operand
        if isinstance(test, ast.BoolOp):
            wanted = ast.Or if negated else ast.And
            for part in test.values:
                if isinstance(test.op, wanted):
                    self.fact(ast.UnaryOp(ast.Not(), part) if negated else part)
                else:
                    self.value(part)
            return
        if not isinstance(test, ast.Compare):
            self.value(test)
            return
        operands = [test.left, *test.comparators]
        for left, operator, right in zip(operands, test.ops, operands[1:], strict=False):
            first, second = self.value(left), self.value(right)
            self.present(first, operator, right, negated=negated)
            if isinstance(operator, ast.NotEq if negated else ast.Eq):
                self.equal(first, second)
                self.ranked(left, second)
                self.typed(left, right)
            elif type(operator) in _ORDERED:
                self.ordered(self.scalar(first), self.scalar(second), operator, negated=negated)
            elif isinstance(operator, ast.NotIn if negated else ast.In) and isinstance(
                right, (ast.Tuple, ast.List, ast.Set)
            ):
                choices = [self.number(each) for each in right.elts]
                self.one_of(first, choices)
                if choices:
                    self.ranked(left, choices[0])
                self.typed(left, right.elts[0] if right.elts else right)

    def present(
        self, value: HostValue, operator: ast.cmpop, right: ast.expr, *, negated: bool
    ) -> None:
        """Note a parameter that may not be left at its default of None."""
        is_none = isinstance(right, ast.Constant) and right.value is None
        if not is_none or not isinstance(operator, ast.Is if negated else ast.IsNot):
            return
        if isinstance(value, Parameter) and not value.given and not self.unsure:
            value.given = value.needed = True

    def equal(self, first: HostValue, second: HostValue) -> None:
        """Note that two values are the same."""
        if isinstance(first, Shape) and isinstance(second, Shape):
            one, other = first.tensor, second.tensor
            if one.origin and other.origin:
                self.use.equal.append((one.origin, other.origin))
            return
        if isinstance(first, tuple) and isinstance(second, Shape):
            first, second = second, first
        if isinstance(first, Shape) and isinstance(second, tuple):
            first.tensor.rank = first.tensor.rank or len(second)
            for position, each in enumerate(second):
                self.equal(self.axis(first.tensor, position), each)
            return
        if not isinstance(first, Sym) or not isinstance(second, Sym):
            return
        if first.op == "const":
            first, second = second, first
        if first.op != "param" and second.op == "param":
            first, second = second, first
        name, _, axis = first.name.partition(".")
        if first.op != "param" or not axis:
            return
        if second.op == "param":
            self.use.equal.append((first.name, second.name))
        elif second.op == "const" and axis.lstrip("-").isdigit():
            self.use.parameters[name].axes[int(axis)] = second
        elif axis.lstrip("-").isdigit() and all(each.op != "unknown" for each in leaves(second)):
            self.use.defined.append((first.name, second))

    def ordered(self, first: Sym, second: Sym, operator: ast.cmpop, *, negated: bool) -> None:
        """Note that one value is no more than another, or less."""
        if isinstance(operator, (ast.Gt, ast.GtE)) is not negated:
            first, second = second, first
        if isinstance(operator, (ast.Lt, ast.Gt)) is not negated:
            second = make("-", second, const(1))
        self.use.at_most.append((first, second))

    def one_of(self, size: HostValue, choices: list[Sym]) -> None:
        """Take the middle one of the values that an assertion allows a size."""
        if isinstance(size, Parameter) and size.given and not size.is_tensor:
            size.words += [each.name for each in choices if each.op == "text"]
        allowed = [choice for choice in choices if choice.op == "const"]
        if allowed and isinstance(size, Sym):
            self.equal(size, allowed[len(allowed) // 2])

    def ranked(self, left: ast.expr, right: HostValue) -> None:
        """Note a rank that is compared with a number."""
        target = left.func if isinstance(left, ast.Call) else left
        if isinstance(target, ast.Call) or not isinstance(right, Sym) or right.op != "const":
            return
        if isinstance(target, ast.Attribute) and target.attr in ("dim", "ndim"):
            tensor = self.value(target.value)
            if isinstance(tensor, HostTensor):
                tensor.rank = right.value
        elif isinstance(left, ast.Call) and called(left) == "len" and left.args:
            shape = self.value(left.args[0])
            if isinstance(shape, Shape):
                shape.tensor.rank = right.value

    def typed(self, left: ast.expr, right: ast.expr) -> None:
        """Note a type that is compared with another."""
        if isinstance(left, ast.Attribute) and left.attr == "dtype":
            tensor = self.value(left.value)
            if isinstance(right, ast.Attribute) and right.attr == "dtype":
                other = self.value(right.value)
                if isinstance(tensor, HostTensor) and isinstance(other, HostTensor):
                    pair = tensor.origin, other.origin
                    if all(name in self.use.parameters for name in pair):
                        self.use.same_dtype.append(pair)
            text = ast.unparse(right)
            if isinstance(tensor, HostTensor) and re.fullmatch(
                r"torch\.\w+\d+\w*|torch\.bool", text
            ):
                owner = self.use.parameters.get(tensor.origin)
                if owner is not None:
                    owner.dtype = text
