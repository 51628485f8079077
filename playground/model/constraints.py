"""Conditions on configs: Python expressions over knobs and problem sizes, in a safe subset."""

from __future__ import annotations

import ast
import difflib
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

Value = bool | int | float | str | None | tuple["Value", ...]
_Evaluate = Callable[[Mapping[str, Value]], Value]

_MOST_BITS = 4096
"""Integers beyond this size come from a mistyped power, and would only take memory."""
_LONGEST = 2000
"""Characters of a condition."""
_DEEPEST = 100
"""Operations inside one another; each takes a few calls, of which Python allows a thousand."""
_FOREIGN = {
    "&&": "and", "||": "or", "!": "not", "<>": "!=", "≤": "<=", "≥": ">=", "≠": "!=", "×": "*",
    "·": "*", "÷": "//", "−": "-", "=<": "<=", "=>": ">=", "===": "==",
}  # fmt: skip
"""How other languages and typesetters write an operator, and how Python does."""
_FOREIGN_AT = re.compile("|".join(map(re.escape, sorted(_FOREIGN, key=len, reverse=True))))
_PYTHONS_OWN = {"true": "True", "false": "False", "none": "None", "null": "None"}
_KINDS = {
    "int": "a number", "float": "a number", "bool": "true or false", "str": "text",
    "NoneType": "none", "tuple": "a list",
}  # fmt: skip


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

    def meets(self, values: Mapping[str, Value]) -> bool:
        """Tell whether these values meet it; where it has no answer they do not."""
        try:
            return bool(self._evaluate(values))
        except ConstraintError:
            return False

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
    `a if b else c`, and the functions min, max, sum, any, all, abs, int, round, cdiv and
    next_power_of_2.

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
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConstraintError(stripped, *_unreadable(stripped, error)) from error
    reader = _Reader(stripped, frozenset(known))
    evaluate = reader.read(tree)
    sides: tuple[_Evaluate, ...] = ()
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and not isinstance(
        tree.ops[0], (ast.In, ast.NotIn)
    ):  # fmt: skip
        sides = (reader.read(tree.left), reader.read(tree.comparators[0]))
    return Constraint(stripped, frozenset(reader.names), evaluate, sides)


def _unreadable(text: str, error: Exception) -> tuple[int, str]:
    """Return the column at which Python cannot read `text`, and what to write there."""
    column = getattr(error, "offset", None) or len(text) + 1
    foreign = _FOREIGN_AT.search(text)
    while foreign is not None and foreign[0] == "!" and text[foreign.end() :][:1] == "=":
        foreign = _FOREIGN_AT.search(text, foreign.end())
    if foreign is not None and foreign.start() < column + 2:
        return foreign.start() + 1, f"write {_FOREIGN[foreign[0]]} for {foreign[0]}"
    if text[column - 1 : column] == "=" and text[column : column + 1] != "=":
        return column, "one = assigns; write == to compare"
    if text[column - 1 : column] == ";":
        return column, "one condition a line, without ;"
    if column > len(text):
        return column, "something is missing at the end"
    return column, str(getattr(error, "msg", error))


def _wrong_kind(error: TypeError) -> str:
    """Return Python's complaint about kinds of values in the words of this program."""
    text = str(error).replace("between instances of", "between")
    return re.sub(r"'(\w+)'( object)?", lambda match: _KINDS.get(match[1], match[0]), text)


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
    "min": min, "max": max, "sum": sum, "any": any, "all": all, "abs": abs, "int": int,
    "round": round, "cdiv": cdiv, "next_power_of_2": next_power_of_2,
}  # fmt: skip
_ARGUMENTS = {
    "sum": (1,), "any": (1,), "all": (1,), "abs": (1,), "int": (1,), "round": (1, 2), "cdiv": (2,),
    "next_power_of_2": (1,),
}  # fmt: skip
_UNREADABLE = (TypeError, ValueError, ArithmeticError)


class _Reader:
    """Turns a tree into a function of the values, and refuses everything it does not know."""

    def __init__(self, text: str, known: frozenset[str]) -> None:
        self._text = text
        self._known = known
        self.names: set[str] = set()
        self._depth = 0

    def read(self, node: ast.expr) -> _Evaluate:
        """Return what computes `node`."""
        if self._depth == _DEEPEST:
            return self._refuse(node, f"more than {_DEEPEST} operations inside one another")
        self._depth += 1
        found = self._read(node)
        self._depth -= 1
        return found

    def _read(self, node: ast.expr) -> _Evaluate:
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
            return self._refuse(node, self._unknown(name))
        self.names.add(name)
        return lambda values: values[name]

    def _unknown(self, name: str) -> str:
        if name in _PYTHONS_OWN:
            return f"{name} is written {_PYTHONS_OWN[name]}"
        text = f"{name} is no knob and no problem size here"
        alike = {known.lower(): known for known in self._known}
        close = difflib.get_close_matches(name.lower(), alike, 1, 0.75)
        if close:
            return f"{text}; is {alike[close[0]]} meant?"
        return f"{text} (there is {', '.join(sorted(self._known)) or 'none'})"

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
        if len(node.args) not in _ARGUMENTS.get(name, range(1, 100)):
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
                why = _wrong_kind(error) if isinstance(error, TypeError) else str(error)
                raise ConstraintError(self._text, column, why) from error

        return call

    def _refuse(self, node: ast.expr, why: str) -> _Evaluate:
        raise ConstraintError(self._text, self._column(node), why)

    def _column(self, node: ast.expr) -> int:
        # The parser counts bytes; a place shown to people counts characters.
        before = self._text.encode().splitlines()[node.lineno - 1][: node.col_offset]
        return len(before.decode()) + 1
