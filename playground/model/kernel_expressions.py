"""A kernel's expressions, each taken for what is known of its value."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from playground.model.kernel_terms import (
    anywhere_within,
    block_of,
    called,
    capped,
    constant,
    either,
    first_parameter,
    is_module,
)
from playground.model.kernel_use import Access, Block, KernelUse, Kind, Value
from playground.model.symbolic import (
    UNKNOWN,
    ZERO,
    Cap,
    Sym,
    base,
    const,
    leaf,
    make,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


_SAME_VALUE = frozenset({
    "multiple_of", "max_contiguous", "max_constancy", "broadcast_to", "expand_dims", "reshape",
    "view", "trans", "ravel", "cast", "to", "int", "flip", "assume", "to_tensor", "constexpr",
    "abs", "broadcast", "permute", "item",
})  # fmt: skip
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "==", ast.IsNot: "!=",
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Pow: "**", ast.Div: "/",
}  # fmt: skip
_CONDITIONS = ("<", "<=", ">", ">=", "==", "!=", "and", "or", "not")


class Expressions(ABC):
    """Gives each expression of a kernel a value, and notes what it loads and stores."""

    addressed: set[str] | None = None
    """In the trial walk: the parameters found to be addresses so far."""

    @abstractmethod
    def helper(self, node: ast.Call, function: ast.FunctionDef) -> Value:
        """Return what a call of another function of the file gives."""

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

    # ------------------------------------------------------------------------ expressions

    def scalar(self, node: ast.expr) -> Sym:
        """Return an expression's value where it is a number or an address."""
        value = self.value(node)
        return value if isinstance(value, Sym) else UNKNOWN

    def value(self, node: ast.expr) -> Value:
        """Return what is known of an expression's value."""
        if isinstance(node, ast.Constant):
            return constant(node.value)
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
            return either(self.value(node.body), self.value(node.orelse))
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Attribute):
            return self.value(node.value) if node.attr in ("T", "value") else UNKNOWN
        if isinstance(node, ast.Call):
            return self.call(node)
        return UNKNOWN

    def binary(self, node: ast.BinOp) -> Sym:
        """Return a sum, product and so on; masks joined by & and | are conditions."""
        left, right = self.scalar(node.left), self.scalar(node.right)
        operator = ARITHMETIC.get(type(node.op), "?")
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
        """Return a condition; texts that parameters are compared with are noted."""
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
        """Return an element of a tuple; other subscripts only shape a tile."""
        inner = self.value(node.value)
        if isinstance(inner, tuple):
            place = self.scalar(node.slice)
            if place.op == "const" and -len(inner) <= place.value < len(inner):
                return inner[place.value]
            return UNKNOWN
        return inner

    def call(self, node: ast.Call) -> Value:
        """Return what a call gives, after noting what it loads and stores."""
        name = called(node)
        method = isinstance(node.func, ast.Attribute) and not is_module(node.func.value)
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
        """Return what a function of the language gives."""
        plain = [each if isinstance(each, Sym) else UNKNOWN for each in arguments]
        if name in ("program_id", "num_programs"):
            given = named.get("axis", plain[0] if plain else ZERO)
            axis = given.value if isinstance(given, Sym) and given.op == "const" else 0
            self.use.axes.add(min(max(axis, 0), 2))
            return leaf("pid" if name == "program_id" else "programs", value=min(max(axis, 0), 2))
        if name == "arange" and len(plain) == 2:
            self.use.aranged |= {plain[1].name} if plain[1].op == "param" else set()
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
            return block_of(arguments, named)
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

    # --------------------------------------------------------------------------- accesses

    def access(self, node: ast.Call, name: str) -> Value:
        """Note a load, store or atomic."""
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
            return self.record(address.pointer, anywhere_within(address), caps, kind)
        if not isinstance(address, Sym):
            return UNKNOWN
        return self.record(address, address, caps, kind)

    def descriptor_access(self, node: ast.Call, name: str) -> Value:
        """Note a load or store of a descriptor."""
        if not isinstance(node.func, ast.Attribute):
            return UNKNOWN
        holder = self.value(node.func.value)
        arguments = [self.value(argument) for argument in node.args]
        if isinstance(holder, Block):
            kind: Kind = "load" if name == "load" else "store"
            return self.record(holder.pointer, anywhere_within(holder), tuple(self.caps), kind)
        if isinstance(holder, Sym) and holder.op in ("param", "pointer"):
            rank = len(arguments[0]) if arguments and isinstance(arguments[0], tuple) else 2
            self.use.descriptors[holder.name] = rank
        return UNKNOWN

    def record(self, address: Sym, offset: Sym, caps: tuple[Cap, ...], kind: Kind) -> Sym:
        """Note an access by its address; return what it loads."""
        if self.addressed is not None:
            # The trial walk: the first summand that is a parameter is the address.
            found = first_parameter(address)
            self.addressed |= {found} if found else set()
            return leaf("loaded", found) if found else UNKNOWN
        pointer = base(address)
        if not pointer:
            return UNKNOWN
        if self.recording:
            self.use.accesses.append(Access(pointer, offset, caps, kind))
        return leaf("loaded", pointer)

    def remember(self, condition: Sym) -> None:
        """Note the limits of a condition."""
        self.use.conditions += capped(condition)

    def note_flags(self, condition: Sym) -> None:
        """Note the pointers whose loaded values are conditions."""
        if condition.op in ("and", "or", "not"):
            for part in condition.args:
                self.note_flags(part)
        elif condition.op == "loaded":
            self.use.flags.add(condition.name)
