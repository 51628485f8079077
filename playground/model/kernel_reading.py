"""What a kernel's text says about its arguments: which are loaded, stored, at which addresses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from playground.model.kernel_expressions import ARITHMETIC, Expressions
from playground.model.kernel_terms import called, capped, either, either_of_each
from playground.model.kernel_use import KernelUse, Value
from playground.model.symbolic import (
    UNKNOWN,
    ZERO,
    Sym,
    const,
    leaf,
    make,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_DEEPEST_HELPER = 6


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


class _Reader(Expressions):
    """Walks a kernel's statements once, in order, keeping each name's value as an expression."""

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
        operator = ARITHMETIC.get(type(node.op), "")
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
        self.env = either_of_each(first, self.env)
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
            result = either(result, other)
        return result
