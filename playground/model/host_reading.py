"""What a launcher's text says about its parameters: ranks, shapes, types, and what it launches."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.model.kernel_reading import called
from playground.model.symbolic import UNKNOWN, Sym, const, leaf, make

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DEEPEST_CALL = 6
_SAME_TENSOR = frozenset({
    "contiguous", "to", "cuda", "float", "half", "bfloat16", "detach", "clone", "requires_grad_",
    "type", "long", "int", "bool", "cpu", "data", "type_as", "double",
})  # fmt: skip
_TENSOR_WORDS = frozenset({
    "shape", "stride", "size", "numel", "dim", "ndim", "device", "dtype", "is_cuda", "data_ptr",
    "is_contiguous", "view", "reshape", "element_size", "new_empty", "unsqueeze", "transpose",
    "permute", "T", "nelement", "flatten", "squeeze", "expand", "t", "mT", "requires_grad",
    *_SAME_TENSOR,
})  # fmt: skip
_MADE = frozenset({"empty", "zeros", "ones", "full", "randn", "rand", "empty_strided"})
_NO_KERNELS = frozenset({
    "list", "dict", "tuple", "set", "type", "List", "Dict", "Tuple", "Optional", "Union",
    "Callable", "Sequence",
})  # fmt: skip
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


@dataclass(eq=False)
class HostTensor:
    """A tensor in a launcher; `origin` is the parameter whose bytes it looks at, if any.

    `axes` are the sizes by position, as far as they are known. `turned` tells of the parameter's
    own dimensions in another order.
    """

    origin: str = ""
    rank: int | None = None
    axes: dict[int, Sym] = field(default_factory=dict)
    like: HostTensor | None = None
    turned: bool = False


@dataclass(eq=False)
class Shape:
    """The value of `x.shape`."""

    tensor: HostTensor


@dataclass(eq=False)
class Parameter(HostTensor):
    """A parameter, which its use shows to be a tensor or a number."""

    name: str = ""
    annotation: str = ""
    is_tensor: bool = False
    is_number: bool = False
    dtype: str = ""


HostValue = Sym | HostTensor | Shape | tuple["HostValue", ...]


@dataclass(frozen=True)
class HostLaunch:
    """One launch in a launcher: the kernel's name, its arguments, and the grid."""

    kernel: str
    positional: tuple[HostValue, ...]
    named: tuple[tuple[str, HostValue], ...]
    grid: tuple[Sym, ...]


@dataclass
class HostUse:
    """A launcher's parameters, which sizes are equal, what they are called, and its launches."""

    parameters: dict[str, Parameter] = field(default_factory=dict)
    launches: list[HostLaunch] = field(default_factory=list)
    equal: list[tuple[str, str]] = field(default_factory=list)
    called: dict[str, str] = field(default_factory=dict)
    same_dtype: list[tuple[str, str]] = field(default_factory=list)


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
    for argument in arguments[skipped:]:
        annotation = ast.unparse(argument.annotation) if argument.annotation is not None else ""
        parameter = Parameter(origin=argument.arg, name=argument.arg, annotation=annotation)
        parameter.is_tensor = "Tensor" in annotation
        use.parameters[argument.arg] = parameter
        reader.env[argument.arg] = parameter
    _read_words(function, use, text_lines)
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in _TENSOR_WORDS:
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
        found = re.search(
            rf"(?<![\w.]){re.escape(name)}\b[^\n(\[]{{0,40}}[(\[]([A-Za-z0-9_ ,*]+)[)\]]", text
        )
        dims = [part.strip() for part in found[1].split(",")] if found else []
        quoted = re.search(r"\[.*?Tensor.*?,\s*['\"]([\w ]+)['\"]", parameter.annotation)
        if quoted:
            dims = quoted[1].split()
        dims = [part for part in dims if part]
        if len(dims) < 2 and not quoted:
            continue
        if not all(re.fullmatch(r"[A-Za-z]\w*|\d+", part) for part in dims):
            continue
        parameter.is_tensor, parameter.rank = True, len(dims)
        for position, part in enumerate(dims):
            if part.isdigit():
                parameter.axes[position] = const(int(part))
            else:
                use.called[f"{name}.{position}"] = part


class _HostReader:
    def __init__(
        self,
        use: HostUse,
        functions: Mapping[str, ast.FunctionDef],
        kernels: frozenset[str],
        constants: Mapping[str, int],
    ) -> None:
        self.use, self.functions, self.kernels, self.constants = use, functions, kernels, constants
        self.env: dict[str, HostValue] = {}
        self.local: dict[str, ast.expr | ast.FunctionDef] = {}
        self.depth = 0
        self.returned: list[HostValue] = []

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
            self.env[node.target.id] = make(_OPERATORS.get(type(node.op), "?"), old, added)
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
        self.value(node.test)
        self.block(node.body)
        self.block(node.orelse)

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
            if isinstance(operator, ast.NotEq if negated else ast.Eq):
                self.equal(first, second)
                self.ranked(left, second)
                self.typed(left, right)
            elif isinstance(operator, ast.NotIn if negated else ast.In) and isinstance(
                right, (ast.Tuple, ast.List, ast.Set)
            ):
                self.one_of(first, [self.number(each) for each in right.elts])
                self.typed(left, right.elts[0] if right.elts else right)

    def equal(self, first: HostValue, second: HostValue) -> None:
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
        name, _, axis = first.name.partition(".")
        if first.op != "param" or not axis:
            return
        if second.op == "param":
            self.use.equal.append((first.name, second.name))
        elif second.op == "const" and axis.lstrip("-").isdigit():
            self.use.parameters[name].axes[int(axis)] = second

    def one_of(self, size: HostValue, choices: list[Sym]) -> None:
        """Take the middle one of the values that an assertion allows a size."""
        allowed = [choice for choice in choices if choice.op == "const"]
        if allowed and isinstance(size, Sym):
            self.equal(size, allowed[len(allowed) // 2])

    def ranked(self, left: ast.expr, right: HostValue) -> None:
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
        if isinstance(left, ast.Attribute) and left.attr == "dtype":
            tensor = self.value(left.value)
            if isinstance(right, ast.Attribute) and right.attr == "dtype":
                other = self.value(right.value)
                if isinstance(tensor, Parameter) and isinstance(other, Parameter):
                    self.use.same_dtype.append((tensor.name, other.name))
            text = ast.unparse(right)
            if isinstance(tensor, Parameter) and re.fullmatch(
                r"torch\.\w+\d+\w*|torch\.bool", text
            ):
                tensor.dtype = text

    def assign(self, target: ast.expr, value: HostValue, node: ast.expr) -> None:
        if isinstance(target, ast.Name):
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

    # ------------------------------------------------------------------------ expressions

    def number(self, node: ast.expr) -> Sym:
        return self.scalar(self.value(node))

    def scalar(self, value: HostValue) -> Sym:
        if isinstance(value, Parameter) and not value.is_tensor:
            value.is_number = True
            return leaf("param", value.name)
        return value if isinstance(value, Sym) else UNKNOWN

    def axis(self, tensor: HostTensor, position: int) -> Sym:
        while tensor.like is not None:
            tensor = tensor.like
        if isinstance(tensor, Parameter):
            tensor.is_tensor = True
        if position < 0 and tensor.rank is not None:
            position += tensor.rank
        if position in tensor.axes:
            return tensor.axes[position]
        if not isinstance(tensor, Parameter):
            return UNKNOWN
        # A position that is seen tells the least rank there is.
        return leaf("param", f"{tensor.name}.{position}")

    def value(self, node: ast.expr) -> HostValue:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int):
                return const(int(node.value))
            return leaf("text", node.value) if isinstance(node.value, str) else UNKNOWN
        if isinstance(node, ast.Name):
            if node.id in self.env:
                return self.env[node.id]
            return const(self.constants[node.id]) if node.id in self.constants else UNKNOWN
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(self.value(part) for part in node.elts)
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.Compare):
            for part in (node.left, *node.comparators):
                self.value(part)
            return UNKNOWN
        if isinstance(node, ast.BoolOp):
            return [self.value(part) for part in node.values][-1]
        if isinstance(node, ast.IfExp):
            first, second = self.value(node.body), self.value(node.orelse)
            if isinstance(first, Sym) and isinstance(second, Sym):
                return make("either", first, second)
            return second if isinstance(first, Sym) else first
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        return UNKNOWN

    def binary(self, node: ast.BinOp) -> HostValue:
        left, right = self.value(node.left), self.value(node.right)
        for each in (left, right):
            if isinstance(each, Parameter) and isinstance(node.op, ast.MatMult):
                each.is_tensor = True
            if isinstance(each, HostTensor) and not (
                isinstance(each, Parameter) and not each.is_tensor
            ):
                return HostTensor(like=each)
        operator = _OPERATORS.get(type(node.op), "?")
        return make(operator, self.scalar(left), self.scalar(right))

    def attribute(self, node: ast.Attribute) -> HostValue:
        inner = self.value(node.value)
        if not isinstance(inner, HostTensor):
            return UNKNOWN
        if isinstance(inner, Parameter) and node.attr in _TENSOR_WORDS:
            inner.is_tensor = True
        if node.attr == "shape":
            return Shape(inner)
        if node.attr in ("T", "mT"):
            return self.turned(inner, 0, 1)
        return inner if node.attr == "data" else UNKNOWN

    def subscript(self, node: ast.Subscript) -> HostValue:
        inner = self.value(node.value)
        place = self.value(node.slice)
        if isinstance(inner, Shape):
            if isinstance(place, Sym) and place.op == "const":
                return self.axis(inner.tensor, place.value)
            if isinstance(place, Sym) and place == make("-", const(0), const(1)):
                return self.axis(inner.tensor, -1)
            return UNKNOWN
        if isinstance(inner, tuple) and isinstance(place, Sym) and place.op == "const":
            at = place.value
            return inner[at] if -len(inner) <= at < len(inner) else UNKNOWN
        if isinstance(inner, Sym) and inner.op == "meta" and isinstance(place, Sym):
            return leaf("param", f"@{place.name}")
        return UNKNOWN

    def call(self, node: ast.Call) -> HostValue:
        if isinstance(node.func, ast.Subscript):
            return self.launch(node)
        name = called(node)
        if isinstance(node.func, ast.Attribute):
            path = ast.unparse(node.func)
            if path in self.functions:
                return self.follow(node, self.functions[path], 1)
            owner = self.value(node.func.value)
            if isinstance(owner, HostTensor):
                return self.method(owner, name, node)
            if ast.unparse(node.func.value) == "self" and name in self.functions:
                return self.follow(node, self.functions[name], 1)
        elif name in self.functions:
            return self.follow(node, self.functions[name], 0)
        arguments = [self.value(argument) for argument in node.args]
        for keyword in node.keywords:
            self.value(keyword.value)
        if name in ("cdiv", "ceil_div") and len(arguments) == 2:
            return make("cdiv", *(self.scalar(each) for each in arguments))
        if name == "next_power_of_2" and arguments:
            return make("pow2", self.scalar(arguments[0]))
        if name in ("min", "max") and len(arguments) == 2:
            return make(name, *(self.scalar(each) for each in arguments))
        if name == "len" and arguments:
            return UNKNOWN
        if name in ("int", "tuple", "list", "TensorWrapper", "reinterpret") and arguments:
            return arguments[0]
        if name.endswith("_like") and arguments and isinstance(arguments[0], HostTensor):
            if isinstance(arguments[0], Parameter):
                arguments[0].is_tensor = True
            return HostTensor(like=arguments[0])
        if name in _MADE:
            return _made(arguments)
        if "torch" in ast.unparse(node.func).split(".")[0]:
            for each in arguments:
                if isinstance(each, Parameter) and not each.is_number and "float" not in name:
                    each.is_tensor = each.is_tensor or name not in ("manual_seed", "Generator")
        return UNKNOWN

    def method(self, tensor: HostTensor, name: str, node: ast.Call) -> HostValue:
        if isinstance(tensor, Parameter) and name in _TENSOR_WORDS:
            tensor.is_tensor = True
        arguments = [self.value(argument) for argument in node.args]
        first = arguments[0] if arguments else UNKNOWN
        if name == "size":
            if isinstance(first, Sym) and first.op == "const":
                return self.axis(tensor, first.value)
            return Shape(tensor)
        if name == "stride" and not arguments and tensor.rank is not None:
            if not isinstance(tensor, Parameter):
                return (UNKNOWN,) * tensor.rank
            return tuple(leaf("param", f"{tensor.name}.s{at}") for at in range(tensor.rank))
        if name == "stride" and isinstance(first, Sym) and first.op == "const":
            origin = tensor.origin if isinstance(tensor, Parameter) else ""
            self.axis(tensor, first.value)
            return leaf("param", f"{origin}.s{first.value}") if origin else UNKNOWN
        if name in ("numel", "nelement"):
            return leaf("param", f"{tensor.origin}.numel") if tensor.origin else UNKNOWN
        if name in _SAME_TENSOR:
            return tensor
        if name in ("view", "reshape", "flatten", "squeeze", "unsqueeze", "expand"):
            flat = arguments[0] if len(arguments) == 1 and isinstance(first, tuple) else arguments
            made = HostTensor(origin=tensor.origin)
            if name in ("view", "reshape") and isinstance(flat, (list, tuple)):
                made.rank = len(flat)
                known = {at: self.scalar(each) for at, each in enumerate(flat)}
                rest_of = (const(-1), make("-", const(0), const(1)))
                open_axis = [at for at, each in known.items() if each in rest_of]
                for at, each in known.items():
                    if at not in open_axis:
                        made.axes[at] = each
                if open_axis and tensor.origin:
                    rest = const(1)
                    for at, each in made.axes.items():
                        rest = make("*", rest, each) if at not in open_axis else rest
                    whole = leaf("param", f"{tensor.origin}.numel")
                    made.axes[open_axis[0]] = make("//", whole, rest)
            return made
        if name == "t":
            return self.turned(tensor, 0, 1)
        if name in ("transpose", "permute", "swapaxes"):
            return HostTensor(origin=tensor.origin, turned=True)
        if name.startswith("new_"):
            return _made(arguments)
        return UNKNOWN

    def turned(self, tensor: HostTensor, one: int, other: int) -> HostTensor:
        first, second = self.axis(tensor, one), self.axis(tensor, other)
        return HostTensor(origin=tensor.origin, rank=2, axes={one: second, other: first})

    def follow(self, node: ast.Call, function: ast.FunctionDef, skipped: int) -> HostValue:
        arguments = [self.value(argument) for argument in node.args]
        named = {each.arg: self.value(each.value) for each in node.keywords if each.arg}
        if self.depth >= _DEEPEST_CALL:
            return UNKNOWN
        names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][skipped:]
        env: dict[str, HostValue] = {}
        for each, default in zip(reversed(names), reversed(function.args.defaults), strict=False):
            env[each] = self.value(default)
        env.update(zip(names, arguments, strict=False))
        env.update(named)
        saved = self.env, self.local, self.returned
        self.env, self.local, self.returned = env, {}, []
        self.depth += 1
        self.block(function.body)
        self.depth -= 1
        returned = self.returned
        self.env, self.local, self.returned = saved
        return returned[0] if returned else UNKNOWN

    # --------------------------------------------------------------------------- launches

    def launch(self, node: ast.Call) -> HostValue:
        function = node.func
        if not isinstance(function, ast.Subscript):
            return UNKNOWN
        name = _last_name(function.value)
        positional = tuple(self.spread(node.args))
        named = tuple((each.arg, self.value(each.value)) for each in node.keywords if each.arg)
        if name in _NO_KERNELS:
            return UNKNOWN
        self.use.launches.append(HostLaunch(name, positional, named, self.grid(function.slice)))
        return UNKNOWN

    def spread(self, arguments: Sequence[ast.expr]) -> list[HostValue]:
        """Return the arguments' values; those after a star of unknown length are left out."""
        values: list[HostValue] = []
        for each in arguments:
            if not isinstance(each, ast.Starred):
                values.append(self.value(each))
                continue
            inner = self.value(each.value)
            if isinstance(inner, Shape) and inner.tensor.rank is not None:
                inner = tuple(self.axis(inner.tensor, at) for at in range(inner.tensor.rank))
            if not isinstance(inner, tuple):
                break
            values += inner
        return values

    def grid(self, node: ast.expr) -> tuple[Sym, ...]:
        if isinstance(node, ast.Name) and node.id in self.local:
            made = self.local[node.id]
            if isinstance(made, ast.FunctionDef):
                returns = [each for each in ast.walk(made) if isinstance(each, ast.Return)]
                result = returns[0].value if returns else None
                return self.grid_of(made.args, result)
            node = made
        if isinstance(node, ast.Lambda):
            return self.grid_of(node.args, node.body)
        value = self.value(node)
        parts = value if isinstance(value, tuple) else (value,)
        return tuple(self.scalar(part) for part in parts)

    def grid_of(self, arguments: ast.arguments, body: ast.expr | None) -> tuple[Sym, ...]:
        if body is None or not arguments.args:
            return ()
        saved = dict(self.env)
        self.env[arguments.args[0].arg] = leaf("meta")
        value = self.value(body)
        self.env = saved
        parts = value if isinstance(value, tuple) else (value,)
        return tuple(self.scalar(part) for part in parts)


def _made(arguments: list[HostValue]) -> HostTensor:
    shape = arguments[0] if arguments else UNKNOWN
    if isinstance(shape, Shape):
        return HostTensor(like=shape.tensor)
    parts = shape if isinstance(shape, tuple) else tuple(arguments)
    axes = {at: part for at, part in enumerate(parts) if isinstance(part, Sym)}
    return HostTensor(rank=len(parts), axes=axes)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):  # wrap_triton(kernel)[grid](...)
        return _last_name(node.args[0]) if node.args else ""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
