"""Integer expressions of a source text as values: built without executing, bounded by intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LARGEST_EXPRESSION = 400
"""Beyond that many nodes an expression is called unknown: no address is written like that."""

Bounds = tuple[int, int]


@dataclass(frozen=True)
class Sym:
    """An expression: `op` over `args`, or a leaf with a `name` or a `value`.

    Leaves: `const` (value), `param` (name), `pid` (value: axis), `programs` (value: axis),
    `loaded` (name: pointer), `pointer` (name), `unknown`. `upto(n)` is any of 0 … n - 1,
    `between(a, b, s)` any of a, a + s … below b, `repeated(e, a, b, s)` is e added between none and
    as often as a loop from a to b by s comes back, `either(a, b)` one of the two.
    """

    op: str
    args: tuple[Sym, ...] = ()
    name: str = ""
    value: int = 0
    nodes: int = field(default=1, compare=False)


UNKNOWN = Sym("unknown")
ZERO = Sym("const")


def const(value: int) -> Sym:
    """Return the number `value`."""
    return Sym("const", value=value)


def leaf(op: str, name: str = "", value: int = 0) -> Sym:
    """Return a leaf."""
    return Sym(op, (), name, value)


def make(op: str, *args: Sym) -> Sym:
    """Return `op` over `args`; arithmetic on two numbers is done at once."""
    nodes = 1 + sum(arg.nodes for arg in args)
    if nodes > _LARGEST_EXPRESSION:
        return UNKNOWN
    if len(args) == 2 and all(arg.op == "const" for arg in args):
        exact = _combined(op, (args[0].value,) * 2, (args[1].value,) * 2)
        if exact is not None and exact[0] == exact[1]:
            return const(exact[0])
    if op == "+" and ZERO in args:
        return args[1] if args[0] == ZERO else args[0]
    if op == "*" and const(1) in args:
        return args[1] if args[0] == const(1) else args[0]
    return Sym(op, args, nodes=nodes)


@dataclass(frozen=True)
class Cap:
    """What holds where an access happens: `left` is at most `right`, or less if `strict`."""

    left: Sym
    right: Sym
    strict: bool


def bounds(
    sym: Sym,
    values: Mapping[str, int],
    grid: Sequence[int] = (1, 1, 1),
    caps: Sequence[Cap] = (),
    loaded: Mapping[str, int] | None = None,
) -> Bounds | None:
    """Return the least and the greatest value of `sym`, or None where it can't be told.

    Parameters
    ----------
    values
        The parameters' values.
    grid
        Number of programs an axis.
    caps
        Conditions that hold: an expression found in them is cut at its limit.
    loaded
        One more than the greatest value that a load from a pointer can give.
    """
    limits: dict[Sym, int] = {}
    for cap in caps:
        right = _Walk(values, grid, {}, loaded or {}).of(cap.right)
        if right is not None:
            top = right[1] - 1 if cap.strict else right[1]
            limits[cap.left] = min(top, limits.get(cap.left, top))
    return _Walk(values, grid, limits, loaded or {}).of(sym)


class _Walk:
    def __init__(
        self,
        values: Mapping[str, int],
        grid: Sequence[int],
        limits: Mapping[Sym, int],
        loaded: Mapping[str, int],
    ) -> None:
        self.values, self.grid, self.limits, self.loaded = values, grid, limits, loaded

    def of(self, sym: Sym) -> Bounds | None:
        found = self._plain(sym)
        limit = self.limits.get(sym) if self.limits else None
        if limit is None:
            return found
        return (0, max(limit, 0)) if found is None else (min(found[0], limit), min(found[1], limit))

    def _plain(self, sym: Sym) -> Bounds | None:
        op = sym.op
        if op == "const":
            return sym.value, sym.value
        if op == "param":
            value = self.values.get(sym.name)
            return None if value is None else (value, value)
        if op == "pid":
            return 0, max(self.grid[sym.value] - 1, 0)
        if op == "programs":
            return self.grid[sym.value], self.grid[sym.value]
        if op == "pointer":
            return 0, 0
        if op == "loaded":
            return (0, self.loaded[sym.name] - 1) if sym.name in self.loaded else None
        parts = [self.of(arg) for arg in sym.args]
        if op == "either":
            known = [part for part in parts if part is not None]
            if len(known) < len(parts) or not known:
                return None
            return min(part[0] for part in known), max(part[1] for part in known)
        if op == "%" and parts[1] is not None and parts[1][1] > 0:
            # Whatever is taken modulo n ends up below n.
            top = parts[1][1] - 1
            if parts[0] is not None and parts[0][0] >= 0 and parts[0][1] <= top:
                return parts[0]
            return 0, top
        if op in ("min", "&"):
            # The least of several is at most any of them, known or not.
            known = [part for part in parts if part is not None]
            if known and (len(known) == len(parts) or all(part[0] >= 0 for part in known)):
                low = min(part[0] for part in known) if op == "min" else 0
                return low, min(part[1] for part in known)
            return None
        if any(part is None for part in parts):
            return None
        sure = [part for part in parts if part is not None]
        if op == "upto":
            return 0, max(sure[0][1] - 1, 0)
        if op == "between":
            start, stop, step = sure
            if step[0] > 0:
                return start[0], max(stop[1] - 1, start[0])
            return min(stop[0] + 1, start[0]), start[1]
        if op == "repeated":
            added, start, stop, step = sure
            times = max(-(-(stop[1] - start[0]) // max(step[0], 1)) - 1, 0)
            return min(added[0], 0) * times, max(added[1], 0) * times
        if op == "max":
            return max(part[0] for part in sure), max(part[1] for part in sure)
        if op == "pow2":
            return _next_power(sure[0][0]), _next_power(sure[0][1])
        return _combined(op, sure[0], sure[1]) if len(sure) == 2 else None


def _combined(op: str, a: Bounds, b: Bounds) -> Bounds | None:
    if op == "+":
        return a[0] + b[0], a[1] + b[1]
    if op == "-":
        return a[0] - b[1], a[1] - b[0]
    if op == "*":
        corners = [x * y for x in a for y in b]
        return min(corners), max(corners)
    if op == "//" and b[0] > 0:
        corners = [x // y for x in a for y in b]
        return min(corners), max(corners)
    if op == "cdiv" and b[0] > 0:
        corners = [-(-x // y) for x in a for y in b]
        return min(corners), max(corners)
    if op == "%" and b[0] == b[1] > 0 and a[0] == a[1]:
        return a[0] % b[0], a[0] % b[0]
    if op == "<<" and 0 <= b[0] <= b[1] < 40:
        return a[0] << b[0], a[1] << b[1]
    if op == ">>" and 0 <= b[0] <= b[1] < 64:
        return min(a[0] >> b[1], a[0] >> b[0]), max(a[1] >> b[0], a[1] >> b[1])
    if op in ("|", "^") and a[0] >= 0 and b[0] >= 0:
        return 0, (1 << max(a[1].bit_length(), b[1].bit_length())) - 1
    if op == "**" and a[0] == a[1] and b[0] == b[1] and 0 <= b[0] < 40:
        return a[0] ** b[0], a[0] ** b[0]
    return None


def _next_power(value: int) -> int:
    return 1 << max(value - 1, 0).bit_length()


def terms(sym: Sym) -> list[Sym]:
    """Return the summands of `sym`, its pointer left out."""
    if sym.op == "+":
        return [part for arg in sym.args for part in terms(arg)]
    return [] if sym.op == "pointer" else [sym]


def factors(sym: Sym) -> list[Sym]:
    """Return the factors of `sym`."""
    if sym.op == "*":
        return [part for arg in sym.args for part in factors(arg)]
    return [sym]


def base(sym: Sym) -> str:
    """Return the pointer that `sym` is an address of, or an empty text."""
    if sym.op == "pointer":
        return sym.name
    if sym.op in ("+", "-", "either"):
        return next((found for arg in sym.args if (found := base(arg))), "")
    return ""


def leaves(sym: Sym) -> set[Sym]:
    """Return all leaves of `sym`."""
    if not sym.args:
        return {sym}
    return {found for arg in sym.args for found in leaves(arg)}


def contains(sym: Sym, op: str) -> bool:
    """Tell whether `op` occurs anywhere in `sym`."""
    return sym.op == op or any(contains(arg, op) for arg in sym.args)
