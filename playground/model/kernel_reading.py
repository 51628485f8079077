"""What a kernel's text says about its arguments: which are loaded, stored, at which addresses."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from playground.model.symbolic import (
    UNKNOWN,
    ZERO,
    Cap,
    Sym,
    base,
    bounds,
    const,
    leaf,
    leaves,
    make,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DEEPEST_HELPER = 6
_SAME_VALUE = frozenset({
    "multiple_of", "max_contiguous", "max_constancy", "broadcast_to", "expand_dims", "reshape",
    "view", "trans", "ravel", "cast", "to", "int", "flip", "assume", "to_tensor", "constexpr",
    "abs", "broadcast", "permute", "item",
})  # fmt: skip
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "==", ast.IsNot: "!=",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Pow: "**", ast.Div: "/",
}  # fmt: skip
_CONDITIONS = ("<", "<=", ">", ">=", "==", "!=", "and", "or", "not")
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}

Kind = Literal["load", "store", "atomic", "lock"]


@dataclass(frozen=True)
class Access:
    """One load or store of a pointer parameter: the address, and what holds where it happens."""

    pointer: str
    offset: Sym
    caps: tuple[Cap, ...]
    kind: Kind


@dataclass(frozen=True)
class Block:
    """A block pointer or a descriptor made in the kernel."""

    pointer: Sym
    shape: tuple[Sym, ...]
    strides: tuple[Sym, ...]


Value = Sym | Block | tuple["Value", ...]


@dataclass
class KernelUse:
    """A kernel's parameters and all that its body does with them."""

    name: str
    parameters: tuple[str, ...]
    constexprs: tuple[str, ...]
    defaults: dict[str, ast.expr]
    accesses: list[Access] = field(default_factory=list)
    descriptors: dict[str, int] = field(default_factory=dict)
    conditions: list[Cap] = field(default_factory=list)
    loop_ends: list[Sym] = field(default_factory=list)
    arithmetic: list[Sym] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    dtypes: set[str] = field(default_factory=set)
    seeds: set[str] = field(default_factory=set)
    flags: set[str] = field(default_factory=set)
    packed: set[str] = field(default_factory=set)
    axes: set[int] = field(default_factory=set)
    uses_dot: bool = False

    @property
    def pointers(self) -> tuple[str, ...]:
        """Parameters that are addresses, in order."""
        used = {access.pointer for access in self.accesses}
        return tuple(name for name in self.parameters if name in used)

    def kinds(self, pointer: str) -> set[Kind]:
        """Return what is done with `pointer`."""
        return {access.kind for access in self.accesses if access.pointer == pointer}

    def index_pointers(self) -> set[str]:
        """Return the pointers whose loaded values are used as addresses, limits or counts."""
        places = [access.offset for access in self.accesses]
        places += [side for access in self.accesses for cap in access.caps
                   for side in (cap.left, cap.right)]  # fmt: skip
        places += self.loop_ends
        return {each.name for place in places for each in leaves(place) if each.op == "loaded"}

    def integers(self) -> set[str]:
        """Return the scalar parameters that addresses, limits and counts are made of."""
        places = [access.offset for access in self.accesses] + self.loop_ends + self.arithmetic
        for cap in (*self.conditions, *(cap for access in self.accesses for cap in access.caps)):
            places += [cap.left, cap.right]
        found = {each.name for place in places for each in leaves(place) if each.op == "param"}
        return (found | self.seeds) - set(self.pointers)

    def required(
        self, values: Mapping[str, int], grid: Sequence[int], loaded: Mapping[str, int]
    ) -> dict[str, int | None]:
        """Return how many elements each pointer must have; None where that can't be told."""
        needed: dict[str, int | None] = {}
        for access in self.accesses:
            found = bounds(access.offset, values, grid, access.caps, loaded)
            before = needed.get(access.pointer, 1)
            needed[access.pointer] = (
                None if found is None or before is None else max(before, found[1] + 1)
            )
        return needed


def read_kernel(
    node: ast.FunctionDef,
    helpers: Mapping[str, ast.FunctionDef],
    constants: Mapping[str, int],
    constexprs: Sequence[str] = (),
) -> KernelUse:
    """Return what `node` does; calls of `helpers` are followed into their bodies."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    plain = [*node.args.posonlyargs, *node.args.args]
    defaults = dict(
        zip(
            (each.arg for each in plain[len(plain) - len(node.args.defaults) :]),
            node.args.defaults,
            strict=True,
        )
    )
    for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            defaults[each.arg] = default
    use = KernelUse(node.name, tuple(each.arg for each in arguments), tuple(constexprs), defaults)
    reader = _Reader(use, helpers, constants)
    reader.env = {each.arg: leaf("param", each.arg) for each in arguments}
    reader.find_pointers(node)
    reader.block(node.body)
    return use


class _Reader:
    """Walks a kernel's statements once, in order, keeping each name's value as an expression."""

    def __init__(
        self, use: KernelUse, helpers: Mapping[str, ast.FunctionDef], constants: Mapping[str, int]
    ) -> None:
        self.use, self.helpers, self.constants = use, helpers, constants
        self.env: dict[str, Value] = {}
        self.caps: list[Cap] = []
        self.depth = 0
        self.recording = True
        self.grown: dict[str, Sym] | None = None
        self.returned: list[Value] = []

    def find_pointers(self, node: ast.FunctionDef) -> None:
        """Turn the parameters that are addresses into pointers before anything is computed."""
        # The walk itself says which: a first one with every parameter taken for a pointer.
        names = set(self.use.parameters) - set(self.use.constexprs)
        trial = KernelUse(node.name, self.use.parameters, self.use.constexprs, {})
        first = _Reader(trial, self.helpers, self.constants)
        first.env = {name: leaf("param", name) for name in self.use.parameters}
        first.addressed = set()
        first.block(node.body)
        for name in names & first.addressed:
            self.env[name] = leaf("pointer", name)

    addressed: set[str] | None = None

    # ------------------------------------------------------------------------- statements

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Walk `body`; return whether it surely ends the function."""
        return any(self.statement(statement) for statement in body)

    def statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Assign):
            value = self.value(node.value)
            for target in node.targets:
                self.grow_by_assignment(target, node.value)
                self.assign(target, value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value))
        elif isinstance(node, ast.AugAssign):
            self.augment(node)
        elif isinstance(node, ast.Expr):
            self.value(node.value)
        elif isinstance(node, ast.Return):
            self.returned.append(self.value(node.value) if node.value is not None else UNKNOWN)
            return True
        elif isinstance(node, ast.If):
            return self.branch(node)
        elif isinstance(node, ast.For):
            self.loop(node)
        elif isinstance(node, ast.While):
            self.while_loop(node)
        elif isinstance(node, ast.With):
            return self.block(node.body)
        return False

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for position, part in enumerate(target.elts):
                known = isinstance(value, tuple) and position < len(value)
                self.assign(
                    part, value[position] if isinstance(value, tuple) and known else UNKNOWN
                )

    def augment(self, node: ast.AugAssign) -> None:
        added = self.scalar(node.value)
        if not isinstance(node.target, ast.Name):
            return
        name = node.target.id
        old = self.env.get(name, UNKNOWN)
        operator = _ARITHMETIC.get(type(node.op), "")
        if self.grown is not None and operator in ("+", "-"):
            step = added if operator == "+" else make("-", ZERO, added)
            self.grown[name] = make("+", self.grown[name], step) if name in self.grown else step
        self.env[name] = make(operator or "?", old, added) if isinstance(old, Sym) else old

    def grow_by_assignment(self, target: ast.expr, value: ast.expr) -> None:
        """Take `p = p + step` for `p += step`."""
        if (
            self.grown is None
            or not isinstance(target, ast.Name)
            or not isinstance(value, ast.BinOp)
            or not isinstance(value.op, ast.Add)
        ):
            return
        for one, other in ((value.left, value.right), (value.right, value.left)):
            if isinstance(one, ast.Name) and one.id == target.id:
                self.grown[target.id] = self.scalar(other)

    def branch(self, node: ast.If) -> bool:
        condition = self.scalar(node.test)
        if condition.op == "const":
            return self.block(node.body if condition.value else node.orelse)
        before, caps = dict(self.env), list(self.caps)
        self.caps = [*caps, *capped(condition)]
        self.remember(condition)
        first_ends = self.block(node.body)
        first = self.env
        self.env, self.caps = dict(before), [*caps, *capped(condition, negated=True)]
        second_ends = self.block(node.orelse)
        if first_ends and not second_ends:
            return False  # what is left of the function runs where the condition is false
        if second_ends and not first_ends:
            self.env, self.caps = first, [*caps, *capped(condition)]
            return False
        self.caps = caps
        self.env = _merged(first, self.env)
        return first_ends and second_ends

    def loop(self, node: ast.For) -> None:
        start, stop, step = self.range_of(node.iter)
        self.use.loop_ends += [start, stop]
        self.assign(node.target, make("between", start, stop, step))
        self.repeat(node.body, start, stop, step)

    def while_loop(self, node: ast.While) -> None:
        condition = self.scalar(node.test)
        found = capped(condition)
        grown = self.growth(node.body)
        if not found or not isinstance(node.test, ast.Compare):
            for name in grown:
                self.env[name] = UNKNOWN
            self.block(node.body)
            return
        stop = found[0].right
        self.use.loop_ends.append(stop)
        left = node.test.left
        name = left.id if isinstance(left, ast.Name) else ""
        start, step = self.env.get(name, ZERO), grown.get(name, const(1))
        if isinstance(start, Sym):
            self.repeat(node.body, start, stop, step)
            self.env[name] = make("between", start, make("+", stop, step), step)

    def growth(self, body: Sequence[ast.stmt]) -> dict[str, Sym]:
        """Return what one turn of a loop adds to which name."""
        before, recording, outer = dict(self.env), self.recording, self.grown
        caps, returned = list(self.caps), list(self.returned)
        self.recording, self.grown = False, {}
        self.block(body)
        grown = self.grown
        self.env, self.recording, self.grown = before, recording, outer
        self.caps, self.returned = caps, returned
        return grown

    def repeat(self, body: Sequence[ast.stmt], start: Sym, stop: Sym, step: Sym) -> None:
        grown = self.growth(body)
        before = dict(self.env)
        caps = list(self.caps)
        for name, added in grown.items():
            old = self.env.get(name)
            if isinstance(old, Sym):
                self.env[name] = make("+", old, make("repeated", added, start, stop, step))
        self.block(body)
        self.caps = caps
        for name, added in grown.items():
            old = before.get(name)
            if isinstance(old, Sym):
                beyond = make("+", stop, step)
                self.env[name] = make("+", old, make("repeated", added, start, beyond, step))

    def range_of(self, node: ast.expr) -> tuple[Sym, Sym, Sym]:
        if isinstance(node, ast.Call) and called(node) in ("range", "static_range"):
            ends = [self.scalar(argument) for argument in node.args]
            if len(ends) == 1:
                return ZERO, ends[0], const(1)
            if len(ends) >= 2:
                return ends[0], ends[1], ends[2] if len(ends) > 2 else const(1)
        return UNKNOWN, UNKNOWN, const(1)

    # ------------------------------------------------------------------------ expressions

    def scalar(self, node: ast.expr) -> Sym:
        value = self.value(node)
        return value if isinstance(value, Sym) else UNKNOWN

    def value(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, ast.Name):
            if node.id in self.env:
                return self.env[node.id]
            return const(self.constants[node.id]) if node.id in self.constants else UNKNOWN
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(self.value(part) for part in node.elts)
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.UnaryOp):
            inner = self.scalar(node.operand)
            if isinstance(node.op, ast.USub):
                return make("-", ZERO, inner)
            return make("not", inner) if isinstance(node.op, (ast.Not, ast.Invert)) else inner
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.BoolOp):
            joined = [self.scalar(part) for part in node.values]
            result = joined[0]
            for part in joined[1:]:
                result = make("and" if isinstance(node.op, ast.And) else "or", result, part)
            return result
        if isinstance(node, ast.IfExp):
            self.value(node.test)
            return _either(self.value(node.body), self.value(node.orelse))
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Attribute):
            return self.value(node.value) if node.attr in ("T", "value") else UNKNOWN
        if isinstance(node, ast.Call):
            return self.call(node)
        return UNKNOWN

    def binary(self, node: ast.BinOp) -> Sym:
        left, right = self.scalar(node.left), self.scalar(node.right)
        operator = _ARITHMETIC.get(type(node.op), "?")
        if operator in "&*" and (left.op in _CONDITIONS or right.op in _CONDITIONS):
            operator = "and"
        elif operator == "|" and (left.op in _CONDITIONS or right.op in _CONDITIONS):
            operator = "or"
        made = make(operator, left, right)
        if left.op == "loaded" and operator in ("&", "|", "^", "<<", ">>"):
            self.use.packed.add(left.name)
        if operator in ("//", "%"):
            self.use.arithmetic.append(made)
        return made

    def comparison(self, node: ast.Compare) -> Sym:
        left, result = self.scalar(node.left), UNKNOWN
        for operator, operand in zip(node.ops, node.comparators, strict=True):
            right = self.scalar(operand)
            for one, other in ((left, right), (right, left)):
                if one.op == "param" and other.op == "text":
                    self.use.texts.setdefault(one.name, other.name)
            part = make(_COMPARED.get(type(operator), "?"), left, right)
            result = part if result == UNKNOWN else make("and", result, part)
            left = right
        return result

    def subscript(self, node: ast.Subscript) -> Value:
        inner = self.value(node.value)
        if isinstance(inner, tuple):
            place = self.scalar(node.slice)
            if place.op == "const" and -len(inner) <= place.value < len(inner):
                return inner[place.value]
            return UNKNOWN
        return inner

    def call(self, node: ast.Call) -> Value:
        name = called(node)
        method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
        if name in ("load", "store") and method:
            return self.descriptor_access(node, name)
        if name == "load" or name == "store" or name.startswith("atomic_"):
            return self.access(node, name)
        keywords = {each.arg: each.value for each in node.keywords if each.arg}
        if name in ("to", "cast", "zeros", "full", "zeros_like", "full_like", "dot"):
            # The first argument of `zeros` is a shape; any other place is a type's.
            places = node.args[0 if name in ("to", "cast") else 1 :]
            self.use.dtypes |= {
                place.id
                for place in (*places, *keywords.values())
                if isinstance(place, ast.Name) and place.id in self.use.constexprs
            }
        if name in self.helpers and not method:
            return self.helper(node, self.helpers[name])
        if method and isinstance(node.func, ast.Attribute):
            first = self.value(node.func.value)
            arguments = [self.value(argument) for argument in node.args]
            if name == "advance":
                return first
            return first if name in _SAME_VALUE else UNKNOWN
        arguments = [self.value(argument) for argument in node.args]
        named = {key: self.value(value) for key, value in keywords.items()}
        return self.built_in(name, arguments, named)

    def built_in(self, name: str, arguments: list[Value], named: dict[str, Value]) -> Value:
        plain = [each if isinstance(each, Sym) else UNKNOWN for each in arguments]
        if name in ("program_id", "num_programs"):
            given = named.get("axis", plain[0] if plain else ZERO)
            axis = given.value if isinstance(given, Sym) and given.op == "const" else 0
            self.use.axes.add(min(max(axis, 0), 2))
            return leaf("pid" if name == "program_id" else "programs", value=min(max(axis, 0), 2))
        if name == "arange" and len(plain) == 2:
            if plain[0] == ZERO:
                return make("upto", plain[1])
            return make("between", plain[0], plain[1], const(1))
        if name in ("cdiv", "ceil_div") and len(plain) == 2:
            return make("cdiv", *plain)
        if name in ("minimum", "maximum", "min", "max") and len(plain) == 2:
            return make(name[:3], *plain)
        if name == "where" and len(plain) == 3:
            self.note_flags(plain[0])
            return make("either", plain[1], plain[2])
        if name == "next_power_of_2" and plain:
            return make("pow2", plain[0])
        if name == "swizzle2d" and len(plain) >= 4:
            return make("upto", plain[2]), make("upto", plain[3])
        if name in ("make_block_ptr", "make_tensor_descriptor",
                    "_experimental_make_tensor_descriptor"):  # fmt: skip
            return _block(arguments, named)
        if name in ("rand", "randn", "randint", "rand4x", "randint4x", "philox"):
            self.use.seeds |= {each.name for each in plain[:1] if each.op == "param"}
            return UNKNOWN
        if name in ("dot", "dot_scaled"):
            self.use.uses_dot = True
            return UNKNOWN
        if name == "advance" and arguments:
            return arguments[0]
        if name in _SAME_VALUE and arguments:
            return arguments[0]
        return UNKNOWN

    def helper(self, node: ast.Call, function: ast.FunctionDef) -> Value:
        if self.depth >= _DEEPEST_HELPER:
            return UNKNOWN
        names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        env: dict[str, Value] = {}
        for each, default in zip(reversed(names), reversed(function.args.defaults), strict=False):
            env[each] = self.value(default)
        for each, argument in zip(names, node.args, strict=False):
            env[each] = self.value(argument)
        env.update({k.arg: self.value(k.value) for k in node.keywords if k.arg})
        saved = self.env, self.returned, list(self.caps), self.grown
        self.env, self.returned, self.grown = env, [], None
        self.depth += 1
        self.block(function.body)
        self.depth -= 1
        returned = self.returned
        self.env, self.returned, self.caps, self.grown = saved
        result: Value = returned[0] if returned else UNKNOWN
        for other in returned[1:]:
            result = _either(result, other)
        return result

    # --------------------------------------------------------------------------- accesses

    def access(self, node: ast.Call, name: str) -> Value:
        keywords = {each.arg: each.value for each in node.keywords if each.arg}
        place = keywords.get("pointer", node.args[0] if node.args else None)
        at = 1 if name == "load" else 3 if name == "atomic_cas" else 2
        mask = keywords.get("mask", node.args[at] if len(node.args) > at else None)
        condition = self.scalar(mask) if mask is not None else UNKNOWN
        for other in (*node.args[1:], *(v for k, v in keywords.items() if k != "pointer")):
            if other is not mask:
                self.value(other)
        kind: Kind = "load"
        if name != "load":
            kind = "store" if name == "store" else "atomic"
            kind = "lock" if name in ("atomic_cas", "atomic_xchg") else kind
        if place is None:
            return UNKNOWN
        self.note_flags(condition)
        address = self.value(place)
        self.remember(condition)
        caps = (*self.caps, *capped(condition))
        if isinstance(address, Block):
            return self.record(address.pointer, _within(address), caps, kind)
        if not isinstance(address, Sym):
            return UNKNOWN
        return self.record(address, address, caps, kind)

    def descriptor_access(self, node: ast.Call, name: str) -> Value:
        if not isinstance(node.func, ast.Attribute):
            return UNKNOWN
        holder = self.value(node.func.value)
        arguments = [self.value(argument) for argument in node.args]
        if isinstance(holder, Block):
            kind: Kind = "load" if name == "load" else "store"
            return self.record(holder.pointer, _within(holder), tuple(self.caps), kind)
        if isinstance(holder, Sym) and holder.op in ("param", "pointer"):
            rank = len(arguments[0]) if arguments and isinstance(arguments[0], tuple) else 2
            self.use.descriptors[holder.name] = rank
        return UNKNOWN

    def record(self, address: Sym, offset: Sym, caps: tuple[Cap, ...], kind: Kind) -> Sym:
        if self.addressed is not None:
            # The trial walk: the first summand that is a parameter is the address.
            found = _first_parameter(address)
            self.addressed |= {found} if found else set()
            return leaf("loaded", found) if found else UNKNOWN
        pointer = base(address)
        if not pointer:
            return UNKNOWN
        if self.recording:
            self.use.accesses.append(Access(pointer, offset, caps, kind))
        return leaf("loaded", pointer)

    def remember(self, condition: Sym) -> None:
        self.use.conditions += capped(condition)

    def note_flags(self, condition: Sym) -> None:
        """Note the pointers whose loaded values are conditions."""
        if condition.op in ("and", "or", "not"):
            for part in condition.args:
                self.note_flags(part)
        elif condition.op == "loaded":
            self.use.flags.add(condition.name)


# ------------------------------------------------------------------------------ conditions


def capped(condition: Sym, *, negated: bool = False) -> list[Cap]:
    """Return the upper limits that hold where `condition` does (or, `negated`, does not)."""
    op = condition.op
    if op == "not":
        return capped(condition.args[0], negated=not negated)
    if op == ("or" if negated else "and"):
        return [cap for part in condition.args for cap in capped(part, negated=negated)]
    op = _OPPOSITE.get(op, "") if negated else op
    if op in ("<", "<="):
        return [Cap(condition.args[0], condition.args[1], op == "<")]
    if op in (">", ">="):
        return [Cap(condition.args[1], condition.args[0], op == ">")]
    if op == "==":
        return [Cap(condition.args[0], condition.args[1], False)]
    return []


def called(node: ast.Call) -> str:
    """Return the last part of the called name, or an empty text."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_module(node: ast.expr) -> bool:
    text = ast.unparse(node)
    return text.split(".")[0] in ("tl", "triton", "gl", "ttgl", "language", "libdevice", "math")


def _constant(value: object) -> Sym:
    if isinstance(value, int):
        return const(int(value))
    if isinstance(value, str):
        return leaf("text", value)
    return leaf("none") if value is None else UNKNOWN


def _either(first: Value, second: Value) -> Value:
    if first == second:
        return first
    if isinstance(first, Sym) and isinstance(second, Sym):
        return make("either", first, second)
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        return tuple(_either(a, b) for a, b in zip(first, second, strict=True))
    return first if not isinstance(first, Sym) else second


def _merged(first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    merged = {**second, **first}
    for name in first.keys() & second.keys():
        merged[name] = _either(first[name], second[name])
    return merged


def _block(arguments: list[Value], named: dict[str, Value]) -> Value:
    def given(name: str, position: int) -> Value:
        return named.get(name, arguments[position] if len(arguments) > position else UNKNOWN)

    pointer, shape, strides = given("base", 0), given("shape", 1), given("strides", 2)
    if not isinstance(pointer, Sym) or not isinstance(shape, tuple):
        return UNKNOWN
    if not isinstance(strides, tuple) or len(strides) != len(shape):
        return UNKNOWN
    plain = tuple(each if isinstance(each, Sym) else UNKNOWN for each in shape)
    steps = tuple(each if isinstance(each, Sym) else UNKNOWN for each in strides)
    return Block(pointer, plain, steps)


def _within(block: Block) -> Sym:
    """Return the address of any element of a block pointer's tensor."""
    address = block.pointer
    for size, stride in zip(block.shape, block.strides, strict=True):
        address = make("+", address, make("*", make("upto", size), stride))
    return address


def _first_parameter(address: Sym) -> str:
    if address.op == "param":
        return address.name
    if address.op in ("+", "-", "either"):
        return next((found for arg in address.args if (found := _first_parameter(arg))), "")
    return ""
