"""What a launcher's text says about its parameters: ranks, shapes, types, and what it launches."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from playground.model.driver_values import asks_for_kernels
from playground.model.file_map import defaults_of, not_passed
from playground.model.host_expressions import OPERATORS, TENSOR_WORDS
from playground.model.host_facts import Facts
from playground.model.host_use import HostTensor, HostUse, HostValue, Parameter, Shape
from playground.model.symbolic import UNKNOWN, Sym, const, make

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_DEEPEST_CALL = 6


def read_host(
    function: ast.FunctionDef,
    functions: Mapping[str, ast.FunctionDef],
    kernels: frozenset[str],
    constants: Mapping[str, int],
    text_lines: Sequence[str],
    *,
    skipped: int = 0,
) -> HostUse:
    """Return what `function` does with its parameters.

    Parameters
    ----------
    functions
        What may be followed: functions of the file by name, an autograd class's forward by
        `Class.apply`, methods by their name.
    skipped
        Leading parameters that are not passed (`self`, `ctx`).
    """
    use = HostUse()
    reader = _HostReader(use, functions, kernels, constants)
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    defaults = defaults_of(function)
    for argument in arguments[skipped:]:
        annotation = ast.unparse(argument.annotation) if argument.annotation is not None else ""
        parameter = Parameter(origin=argument.arg, name=argument.arg, annotation=annotation)
        parameter.is_tensor = "Tensor" in annotation
        parameter.by_keyword = argument in function.args.kwonlyargs
        if argument.arg in defaults:
            parameter.given = False
            default = defaults[argument.arg]
            parameter.default = default.value if isinstance(default, ast.Constant) else default
            if asks_for_kernels(argument.arg):
                parameter.default = True
        use.parameters[argument.arg] = parameter
        reader.env[argument.arg] = parameter
    _read_words(function, use, text_lines)
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in TENSOR_WORDS:
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner in use.parameters:
                use.parameters[owner].is_tensor = True
    reader.depth = 1
    reader.block(function.body)
    return use


def _read_words(function: ast.FunctionDef, use: HostUse, lines: Sequence[str]) -> None:
    """Take shapes from the docstring, the signature's comments and annotations."""
    head = function.body[0].lineno if function.body else function.lineno
    text = "\n".join(lines[function.lineno - 1 : head - 1])
    text += "\n" + (ast.get_docstring(function) or "")
    for name, parameter in use.parameters.items():
        if parameter.annotation in ("int", "float", "bool", "str"):
            continue
        found = re.search(
            rf"(?<![\w.-]){re.escape(name)}\b[^\n()\[\]]{{0,40}}[(\[]([A-Za-z0-9_ ,*]+)[)\]]", text
        ) or re.search(
            rf"(?m)^\s*{re.escape(name)} *\([^\n]*\):?\s[^()\[\]]{{0,160}}?shape:? *`*"
            r"[(\[]([A-Za-z0-9_ ,*]+)[)\]]", text,
        )  # fmt: skip
        dims = [part.strip() for part in found[1].split(",")] if found else []
        quoted = re.search(r"\[.*?Tensor.*?,\s*['\"]([\w ]+)['\"]", parameter.annotation)
        if quoted:
            dims = quoted[1].split()
        dims = [part for part in dims if part]
        if (len(dims) < 2 and not quoted) or all(part.isdigit() for part in dims):
            continue  # digits alone are an example's values
        if not all(re.fullmatch(r"(\d+ *\* *)?[A-Za-z]\w*|\d+", part) for part in dims):
            continue
        parameter.is_tensor, parameter.rank = True, len(dims)
        for position, part in enumerate(dims):
            if part.isdigit():
                parameter.axes[position] = const(int(part))
            elif "*" not in part:
                use.called[f"{name}.{position}"] = part


class _HostReader(Facts):
    # ------------------------------------------------------------------------- statements

    def block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            value = self.value(node.value)
            for target in node.targets:
                self.assign(target, value, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value), node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            old, added = self.scalar(self.env.get(node.target.id, UNKNOWN)), self.number(node.value)
            self.env[node.target.id] = make(OPERATORS.get(type(node.op), "?"), old, added)
        elif isinstance(node, ast.Expr):
            self.value(node.value)
        elif isinstance(node, ast.Return) and node.value is not None:
            self.returned.append(self.value(node.value))
        elif isinstance(node, ast.Assert):
            self.fact(node.test)
        elif isinstance(node, ast.If):
            self.branch(node)
        elif isinstance(node, (ast.For, ast.While)):
            if isinstance(node, ast.For):
                self.assign(node.target, UNKNOWN, node.iter)
            self.block(node.body)
        elif isinstance(node, (ast.With, ast.Try)):
            self.block(node.body)
        elif isinstance(node, ast.FunctionDef):
            self.local[node.name] = node

    def branch(self, node: ast.If) -> None:
        if any(isinstance(each, ast.Raise) for each in node.body):
            self.fact(ast.UnaryOp(ast.Not(), node.test))
            self.block(node.orelse)
            return
        if self.counts_from_behind(node):
            return
        holds = self.truth(node.test)
        if holds is not None:
            self.block(node.body if holds else node.orelse)
            return
        self.value(node.test)
        before = dict(self.env)
        self.unsure += 1
        self.block(node.body)
        self.block(node.orelse)
        self.unsure -= 1
        # What a branch makes of a tensor is like it, if it is not known to be something else.
        self.env.update(
            {name: value for name, value in before.items() if self.env[name] is UNKNOWN}
        )

    def counts_from_behind(self, node: ast.If) -> bool:
        """Take `if dim < 0: dim += x.dim()`: a dimension, whichever way it is counted."""
        test = node.test
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Lt):
            return False
        value = self.value(test.left)
        text = " ".join(map(ast.unparse, node.body))
        if not isinstance(value, Parameter) or not re.search(r"\.dim\(\)|\.ndim|len\(", text):
            return False
        value.is_axis = True
        return True

    def assign(self, target: ast.expr, value: HostValue, node: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.truths[target.id] = (
                self.truth(node) if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp))
                else None
            )  # fmt: skip
            self.env[target.id] = value
            if isinstance(node, ast.Lambda):
                self.local[target.id] = node
            self.name(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            value = self.starred(value, node, len(target.elts))
            parts = [None if isinstance(each, ast.Starred) else each for each in target.elts]
            if isinstance(value, Shape):
                if None not in parts:
                    self.unpacked(value.tensor, len(parts))
                    value = tuple(self.axis(value.tensor, at) for at in range(len(parts)))
                else:
                    back = [self.axis(value.tensor, at - len(parts)) for at in range(len(parts))]
                    value = tuple(back)
            for position, part in enumerate(target.elts):
                known = isinstance(value, tuple) and position < len(value)
                each = value[position] if isinstance(value, tuple) and known else UNKNOWN
                self.assign(part, each, node)

    def starred(self, value: HostValue, node: ast.expr, count: int) -> HostValue:
        """Return `*q.shape, v.shape[-1]` as the `count` sizes that it is unpacked into."""
        if not isinstance(node, ast.Tuple) or not any(
            isinstance(each, ast.Starred) for each in node.elts
        ):
            return value
        sizes: list[HostValue] = []
        for each in node.elts:
            inner = self.value(each.value if isinstance(each, ast.Starred) else each)
            if isinstance(each, ast.Starred) and isinstance(inner, Shape):
                rank = count - len(node.elts) + 1
                self.unpacked(inner.tensor, rank)
                sizes += [self.axis(inner.tensor, at) for at in range(rank)]
            else:
                sizes.append(inner)
        return tuple(sizes)

    def unpacked(self, tensor: HostTensor, rank: int) -> None:
        tensor.rank = rank
        if tensor.turned and tensor.origin in self.use.parameters:
            self.use.parameters[tensor.origin].rank = rank

    def name(self, variable: str, value: HostValue) -> None:
        """Remember what a size is called: two sizes of one name are one size."""
        if not isinstance(value, Sym) or value.op != "param" or "." not in value.name:
            return
        if set(variable) <= {"_"}:
            return
        self.use.called.setdefault(value.name, variable)

    def follow(self, node: ast.Call, function: ast.FunctionDef) -> HostValue:
        arguments = [self.value(argument) for argument in node.args]
        named = {each.arg: self.value(each.value) for each in node.keywords if each.arg}
        if self.depth >= _DEEPEST_CALL:
            return UNKNOWN
        names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        names = names[not_passed(function) :]
        env: dict[str, HostValue] = {}
        for each, default in zip(reversed(names), reversed(function.args.defaults), strict=False):
            env[each] = self.value(default)
        env.update(zip(names, arguments, strict=False))
        env.update(named)
        saved = self.env, self.local, self.returned, self.truths
        self.env, self.local, self.returned, self.truths = env, {}, [], {}
        self.depth += 1
        self.block(function.body)
        self.depth -= 1
        returned = self.returned
        self.env, self.local, self.returned, self.truths = saved
        return returned[0] if returned else UNKNOWN
