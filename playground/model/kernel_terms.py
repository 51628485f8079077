"""The small rules of reading a kernel: limits from conditions, either of two values, blocks."""

from __future__ import annotations

import ast

from playground.model.kernel_use import Block, Value
from playground.model.symbolic import (
    UNKNOWN,
    Cap,
    Sym,
    const,
    leaf,
    make,
)

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


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


_MODULES = frozenset({"tl", "triton", "gl", "ttgl", "language", "libdevice", "math"})


def is_module(node: ast.expr) -> bool:
    """Tell whether a name is that of a module of Triton or Python."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in _MODULES


def constant(value: object) -> Sym:
    """Return a literal's value."""
    if isinstance(value, int):
        return const(int(value))
    if isinstance(value, str):
        return leaf("text", value)
    return leaf("none") if value is None else UNKNOWN


def either(first: Value, second: Value) -> Value:
    """Return what is known of a value that is one of two."""
    if first == second:
        return first
    if isinstance(first, Sym) and isinstance(second, Sym):
        return make("either", first, second)
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        return tuple(either(a, b) for a, b in zip(first, second, strict=True))
    return first if not isinstance(first, Sym) else second


def either_of_each(first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    """Return the names that either branch leaves, each with what is known of it."""
    merged = {**second, **first}
    for name in first.keys() & second.keys():
        merged[name] = either(first[name], second[name])
    return merged


def block_of(arguments: list[Value], named: dict[str, Value]) -> Value:
    """Return the block pointer or descriptor that such a call makes."""

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


def anywhere_within(block: Block) -> Sym:
    """Return the address of any element of a block pointer's tensor."""
    address = block.pointer
    for size, stride in zip(block.shape, block.strides, strict=True):
        address = make("+", address, make("*", make("upto", size), stride))
    return address


def first_parameter(address: Sym) -> str:
    """Return the first summand that is a parameter: the address, where it is one."""
    if address.op == "param":
        return address.name
    if address.op in ("+", "-", "either"):
        return next((found for arg in address.args if (found := first_parameter(arg))), "")
    return ""
