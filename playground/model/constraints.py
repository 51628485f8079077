"""Conditions on configs: Python expressions over knobs and problem sizes, in a safe subset."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

Value = bool | int | float | str | None | tuple["Value", ...]
_Evaluate = Callable[[Mapping[str, Value]], Value]

_MOST_BITS = 4096
"""Integers beyond this size come from a mistyped power, and would only take memory."""
_LONGEST = 2000
"""Characters of a condition; the parser's own limits on depth lie well beyond."""


class ConstraintError(ValueError):
    """A condition that cannot be read or evaluated; `column` counts from 1."""

    def __init__(self, text: str, column: int, why: str) -> None:
        super().__init__(f"{why}, at column {column} of: {text}")
        self.text = text
        self.column = column
        self.why = why


@dataclass(frozen=True)
class Constraint:
    """One condition that every config has to meet; `names` are the knobs and sizes it looks at.

    Made by `parse_constraint`. Nothing of the text is ever executed: the tree is walked here.
    """

    text: str
    names: frozenset[str] = field(compare=False)
    _evaluate: _Evaluate = field(compare=False, repr=False)
    _sides: tuple[_Evaluate, ...] = field(default=(), compare=False, repr=False)

    def holds(self, values: Mapping[str, Value]) -> bool:
        """Tell whether these values meet it.

        Raises
        ------
        ConstraintError
            It has no answer for them (a division by zero, a comparison of text with a number).
        """
        return bool(self._evaluate(values))

    def violation(self, values: Mapping[str, Value]) -> str:
        """Return why these values do not meet it, or an empty string when they do."""
        try:
            if self.holds(values):
                return ""
        except ConstraintError as error:
            return f"{self.text}: {error.why}"
        sides = [str(side(values)) for side in self._sides]
        shown = f" ({' against '.join(sides)})" if sides else ""
        return f"{self.text} is not met{shown}"


def parse_constraint(text: str, known: Iterable[str]) -> Constraint:
    """Return the condition in `text`, whose names must be among `known` (knobs and sizes).

    Arithmetic, comparisons (chained ones too), `and`, `or`, `not`, `in` with a tuple or list,
    `a if b else c`, and the functions min, max, abs, cdiv and next_power_of_2.

    Raises
    ------
    ConstraintError
        It is no such expression; the message names the place and what to write instead.
    """
    stripped = text.strip()
    if not stripped:
        raise ConstraintError(text, 1, "the condition is empty")
    if len(stripped) > _LONGEST:
        raise ConstraintError(stripped[:40] + "…", 1, f"more than {_LONGEST} characters")
    try:
        tree = ast.parse(stripped, mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        column = getattr(error, "offset", None) or len(stripped) + 1
        why = str(getattr(error, "msg", error))
        if stripped[column - 1 : column] == "=" and stripped[column : column + 1] != "=":
            why = "one = assigns; write == to compare"
        raise ConstraintError(stripped, column, why) from error
    reader = _Reader(stripped, frozenset(known))
    evaluate = reader.read(tree)
    sides: tuple[_Evaluate, ...] = ()
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and not isinstance(
        tree.ops[0], (ast.In, ast.NotIn)
    ):  # fmt: skip
        sides = (reader.read(tree.left), reader.read(tree.comparators[0]))
    return Constraint(stripped, frozenset(reader.names), evaluate, sides)


def cdiv(numerator: int, denominator: int) -> int:
    """Return the quotient rounded up, as `triton.cdiv` does."""
    return -(-numerator // denominator)


def next_power_of_2(value: int) -> int:
    """Return the least power of two that is not below `value`, as `triton.next_power_of_2` does."""
    return 1 << max(0, value - 1).bit_length()


def _shift_left(value: int, count: int) -> int:
    if count > _MOST_BITS or value.bit_length() + count > _MOST_BITS:
        raise OverflowError("the number is too large")
    return value << count


def _power(base: float, exponent: float) -> Value:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and exponent > 0 and int(base).bit_length() * exponent > _MOST_BITS:
        raise OverflowError("the number is too large")
    result: Value = base**exponent
    if isinstance(result, complex):
        raise ValueError("the power of a negative number is no real one")
    return result


def _times(one: Value, other: Value) -> Value:
    # Text and tuples can be multiplied too, into any size.
    if not isinstance(one, (int, float)) or not isinstance(other, (int, float)):
        raise TypeError("only numbers can be multiplied")
    return one * other


_BINARY: dict[type[ast.operator], Callable[..., Value]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: _times, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: _power,
    ast.LShift: _shift_left, ast.RShift: operator.rshift, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[..., Value]] = {
    ast.Not: operator.not_, ast.USub: operator.neg, ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[..., bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda item, group: item in group, ast.NotIn: lambda item, group: item not in group,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "min": min, "max": max, "abs": abs, "cdiv": cdiv, "next_power_of_2": next_power_of_2,
}  # fmt: skip
_UNREADABLE = (TypeError, ValueError, ArithmeticError)


class _Reader:
    """Turns a tree into a function of the values, and refuses everything it does not know."""

    def __init__(self, text: str, known: frozenset[str]) -> None:
        self._text = text
        self._known = known
        self.names: set[str] = set()

    def read(self, node: ast.expr) -> _Evaluate:
        """Return what computes `node`."""
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.BinOp):
            return self._call(node, _BINARY[type(node.op)], node.left, node.right) if (
                type(node.op) in _BINARY
            ) else self._refuse(node, "this operator is not known here")  # fmt: skip
        if isinstance(node, ast.UnaryOp):
            return self._call(node, _UNARY[type(node.op)], node.operand)
        if isinstance(node, ast.BoolOp):
            return self._bool(node)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.IfExp):
            test, yes, no = self.read(node.test), self.read(node.body), self.read(node.orelse)
            return lambda values: yes(values) if test(values) else no(values)
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            items = [self.read(item) for item in node.elts]
            return lambda values: tuple(item(values) for item in items)
        if isinstance(node, ast.Call):
            return self._function(node)
        if isinstance(node, ast.Attribute):
            return self._refuse(node, "attributes are not known here: name a knob or a size alone")
        return self._refuse(node, f"{type(node).__name__} is not known here")

    def _constant(self, node: ast.Constant) -> _Evaluate:
        value = node.value
        if value is not None and not isinstance(value, (bool, int, float, str)):
            return self._refuse(node, f"{value!r} is not known here")
        constant: Value = value
        return lambda _values: constant

    def _name(self, node: ast.Name) -> _Evaluate:
        name = node.id
        if name not in self._known:
            known = ", ".join(sorted(self._known)) or "none"
            return self._refuse(
                node, f"{name} is no knob and no problem size here (there is {known})"
            )
        self.names.add(name)
        return lambda values: values[name]

    def _bool(self, node: ast.BoolOp) -> _Evaluate:
        parts = [self.read(item) for item in node.values]
        every = isinstance(node.op, ast.And)

        def evaluate(values: Mapping[str, Value]) -> Value:
            found: Value = every
            for part in parts:
                found = part(values)
                if bool(found) is not every:
                    return found
            return found

        return evaluate

    def _compare(self, node: ast.Compare) -> _Evaluate:
        terms = [self.read(item) for item in (node.left, *node.comparators)]
        tests = [
            self._safely(place, _COMPARE[type(op)])
            for place, op in zip(node.comparators, node.ops, strict=True)
        ]

        def evaluate(values: Mapping[str, Value]) -> Value:
            left = terms[0](values)
            for test, term in zip(tests, terms[1:], strict=True):
                right = term(values)
                if not test(left, right):
                    return False
                left = right
            return True

        return evaluate

    def _function(self, node: ast.Call) -> _Evaluate:
        allowed = ", ".join(_FUNCTIONS)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _FUNCTIONS:
            return self._refuse(node.func, f"write {node.func.attr}(…) without what is before it")
        if not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS:
            return self._refuse(node.func, f"only {allowed} can be called")
        name = node.func.id
        if node.keywords or any(isinstance(item, ast.Starred) for item in node.args):
            return self._refuse(node, f"{name} takes plain arguments only")
        counts = {"abs": (1,), "next_power_of_2": (1,), "cdiv": (2,)}
        if len(node.args) not in counts.get(name, range(1, 100)):
            return self._refuse(node, f"{name} does not take {len(node.args)} arguments")
        return self._call(node, _FUNCTIONS[name], *node.args)

    def _call(self, node: ast.expr, function: Callable[..., Value], *terms: ast.expr) -> _Evaluate:
        parts = [self.read(item) for item in terms]
        safe = self._safely(node, function)
        return lambda values: safe(*(part(values) for part in parts))

    def _safely(self, node: ast.expr, function: Callable[..., Value]) -> Callable[..., Value]:
        column = self._column(node)

        def call(*arguments: Value) -> Value:
            try:
                return function(*arguments)
            except _UNREADABLE as error:
                raise ConstraintError(self._text, column, str(error)) from error

        return call

    def _refuse(self, node: ast.expr, why: str) -> _Evaluate:
        raise ConstraintError(self._text, self._column(node), why)

    def _column(self, node: ast.expr) -> int:
        # The parser counts bytes; a place shown to people counts characters.
        before = self._text.encode().splitlines()[node.lineno - 1][: node.col_offset]
        return len(before.decode()) + 1
