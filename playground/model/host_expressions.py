"""A launcher's expressions, each taken for what is known of its value."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import TYPE_CHECKING, TypeGuard

from playground.model.host_truth import Truths
from playground.model.host_use import HostLaunch, HostTensor, HostUse, HostValue, Parameter, Shape
from playground.model.kernel_terms import called
from playground.model.symbolic import UNKNOWN, Sym, const, leaf, make

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_SAME_TENSOR = frozenset({
    "contiguous", "to", "cuda", "float", "half", "bfloat16", "detach", "clone", "requires_grad_",
    "type", "long", "int", "bool", "cpu", "data", "type_as", "double",
})  # fmt: skip
TENSOR_WORDS = frozenset({
    "shape", "stride", "size", "numel", "dim", "ndim", "device", "dtype", "is_cuda", "data_ptr",
    "is_contiguous", "view", "reshape", "element_size", "new_empty", "unsqueeze", "transpose",
    "permute", "T", "nelement", "flatten", "squeeze", "expand", "t", "mT", "requires_grad",
    *_SAME_TENSOR,
})  # fmt: skip
_MADE = frozenset({"empty", "zeros", "ones", "full", "randn", "rand", "empty_strided"})
_TAKES_AXES = frozenset({
    "size", "stride", "transpose", "swapaxes", "movedim", "permute", "softmax", "squeeze",
    "unsqueeze", "cumsum", "argmax", "argmin",
})  # fmt: skip
_NO_KERNELS = frozenset({
    "list", "dict", "tuple", "set", "type", "List", "Dict", "Tuple", "Optional", "Union",
    "Callable", "Sequence",
})  # fmt: skip
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


class Expressions(Truths):
    """Gives each expression of a launcher a value, and notes what it launches."""

    @abstractmethod
    def follow(self, node: ast.Call, function: ast.FunctionDef) -> HostValue:
        """Return what a call of another function of the file gives."""

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
        self.truths: dict[str, bool | None] = {}
        self.depth = 0
        self.unsure = 0
        self.returned: list[HostValue] = []

    # ------------------------------------------------------------------------ expressions

    def number(self, node: ast.expr) -> Sym:
        """Return an expression's value where it is a number."""
        return self.scalar(self.value(node))

    def scalar(self, value: HostValue) -> Sym:
        """Return a value as a number; a parameter that is used as one is one."""
        if isinstance(value, Parameter) and not value.is_tensor:
            value.is_number = True
            return leaf("param", value.name)
        return value if isinstance(value, Sym) else UNKNOWN

    def axis(self, tensor: HostTensor, position: int) -> Sym:
        """Return the size of a tensor's dimension."""
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
        """Return what is known of an expression's value."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int):
                return const(int(node.value))
            return leaf("text", node.value) if isinstance(node.value, str) else UNKNOWN
        if isinstance(node, ast.Name):
            if node.id in self.env:
                return self.env[node.id]
            return const(self.constants[node.id]) if node.id in self.constants else UNKNOWN
        if isinstance(node, (ast.Tuple, ast.List)):
            return self.several(node.elts)
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return make("-", const(0), self.number(node.operand))
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

    def several(self, parts: Sequence[ast.expr]) -> HostValue:
        """Return a tuple's value, `(*x.shape[:-1], n)` too; unknown where its length is."""
        found: list[HostValue] = []
        for part in parts:
            if not isinstance(part, ast.Starred):
                found.append(self.value(part))
                continue
            inner = self.value(part.value)
            sizes = self.sizes(inner) if isinstance(inner, Shape) else inner
            if not isinstance(sizes, tuple):
                return UNKNOWN
            found += sizes
        return tuple(found)

    def binary(self, node: ast.BinOp) -> HostValue:
        """Return a sum, product and so on, of numbers or of tensors."""
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Add) and isinstance(left, tuple) and isinstance(right, tuple):
            return (*left, *right)
        for each in (left, right):
            if isinstance(each, Parameter) and isinstance(node.op, ast.MatMult):
                each.is_tensor = True
            if isinstance(each, HostTensor) and not (
                isinstance(each, Parameter) and not each.is_tensor
            ):
                return HostTensor(like=each)
        operator = OPERATORS.get(type(node.op), "?")
        return make(operator, self.scalar(left), self.scalar(right))

    def attribute(self, node: ast.Attribute) -> HostValue:
        """Return an attribute's value; a tensor's own show that it is one."""
        inner = self.value(node.value)
        if not isinstance(inner, HostTensor):
            return UNKNOWN
        if isinstance(inner, Parameter) and node.attr in TENSOR_WORDS:
            inner.is_tensor = True
        if node.attr == "shape":
            return Shape(inner)
        if node.attr in ("T", "mT"):
            return self.turned(inner, 0, 1)
        return inner if node.attr == "data" else UNKNOWN

    def subscript(self, node: ast.Subscript) -> HostValue:
        """Return an element of a shape, a tuple, or the grid's meta-parameters."""
        inner = self.value(node.value)
        place = self.value(node.slice)
        if isinstance(inner, Shape) and isinstance(node.slice, ast.Slice):
            sizes = self.sizes(inner)
            return sizes[self.slice(node.slice)] if sizes is not None else UNKNOWN
        if isinstance(inner, Shape):
            if isinstance(place, Sym) and place.op == "const":
                return self.axis(inner.tensor, place.value)
            _is_used_as_axis(place)
            return UNKNOWN
        if isinstance(inner, tuple) and isinstance(place, Sym) and place.op == "const":
            at = place.value
            return inner[at] if -len(inner) <= at < len(inner) else UNKNOWN
        if isinstance(inner, Parameter) and isinstance(node.slice, ast.Tuple):
            # `x[..., :-1, :]` has two dimensions at least.
            parts = node.slice.elts
            taken = [part for part in parts if not isinstance(part, ast.Constant)]
            inner.least_rank = max(inner.least_rank, len(taken))
            fixed = [part.value for part in parts if isinstance(part, ast.Constant)]
            if None in fixed and ... not in fixed and inner.rank is None:
                # `w[None, :]` puts a dimension before all that there are.
                inner.rank, inner.is_tensor = len(parts) - fixed.count(None), True
        if isinstance(inner, Parameter) and isinstance(place, Sym) and place.op == "const":
            inner.items = max(inner.items, place.value + 1)
        if isinstance(inner, HostTensor) and inner.origin:
            owner = self.use.parameters[inner.origin]
            return HostTensor(origin=inner.origin) if owner.is_tensor else UNKNOWN
        if isinstance(inner, Sym) and inner.op == "meta" and isinstance(place, Sym):
            return leaf("param", f"@{place.name}")
        return UNKNOWN

    def sizes(self, shape: Shape) -> tuple[HostValue, ...] | None:
        """Return all sizes of a shape whose rank is known."""
        rank = shape.tensor.rank
        return None if rank is None else tuple(self.axis(shape.tensor, at) for at in range(rank))

    def slice(self, node: ast.Slice) -> slice:
        """Return a slice whose ends are numbers."""
        ends = [
            self.number(end).value if end is not None else None for end in (node.lower, node.upper)
        ]
        return slice(*ends)

    def call(self, node: ast.Call) -> HostValue:
        """Return what a call gives, after noting what it launches."""
        if isinstance(node.func, ast.Subscript):
            return self.launch(node)
        name = called(node)
        if isinstance(node.func, ast.Attribute):
            path = ast.unparse(node.func)
            if path in self.functions:
                return self.follow(node, self.functions[path])
            owner = self.value(node.func.value)
            if isinstance(owner, HostTensor):
                return self.method(owner, name, node)
            if ast.unparse(node.func.value) == "self" and name in self.functions:
                return self.follow(node, self.functions[name])
        elif name in self.functions:
            return self.follow(node, self.functions[name])
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
            for each in (*arguments, *(arguments[0] if _is_tuple(arguments) else ())):
                self.scalar(each)  # what a tensor is as large as is a number
            return _made(arguments)
        if "torch" in ast.unparse(node.func).split(".")[0]:
            for each in arguments:
                if isinstance(each, Parameter) and not each.is_number and "float" not in name:
                    each.is_tensor = each.is_tensor or name not in ("manual_seed", "Generator")
        return UNKNOWN

    def method(self, tensor: HostTensor, name: str, node: ast.Call) -> HostValue:
        """Return what a tensor's method gives."""
        if isinstance(tensor, Parameter) and name in TENSOR_WORDS:
            tensor.is_tensor = True
        arguments = [self.value(argument) for argument in node.args]
        first = arguments[0] if arguments else UNKNOWN
        for keyword in node.keywords:
            if keyword.arg in ("dim", "axis"):
                _is_used_as_axis(self.value(keyword.value))
        if name in _TAKES_AXES:
            for each in arguments:
                _is_used_as_axis(each)
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
                if open_axis == [0] and made.rank == 2:
                    self.rows(tensor, made.axes.get(1, UNKNOWN))
            return made
        if name == "t":
            return self.turned(tensor, 0, 1)
        if name in ("transpose", "permute", "swapaxes"):
            return HostTensor(origin=tensor.origin, turned=True)
        if name.startswith("new_"):
            return _made(arguments)
        return UNKNOWN

    def rows(self, tensor: HostTensor, width: Sym) -> None:
        """Take `x.view(-1, width)` for what it mostly is: rows of a tensor that is as wide."""
        if isinstance(tensor, Parameter) and tensor.rank is None and "." in width.name:
            self.use.equal.append((width.name, f"{tensor.name}.-1"))

    def turned(self, tensor: HostTensor, one: int, other: int) -> HostTensor:
        """Return a tensor with two dimensions in each other's place."""
        first, second = self.axis(tensor, one), self.axis(tensor, other)
        return HostTensor(origin=tensor.origin, rank=2, axes={one: second, other: first})

    # --------------------------------------------------------------------------- launches

    def launch(self, node: ast.Call) -> HostValue:
        """Note a launch."""
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
        """Return the sizes of a launch's grid."""
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
        """Return the sizes that a grid's function computes."""
        if body is None or not arguments.args:
            return ()
        saved = dict(self.env)
        self.env[arguments.args[0].arg] = leaf("meta")
        value = self.value(body)
        self.env = saved
        parts = value if isinstance(value, tuple) else (value,)
        return tuple(self.scalar(part) for part in parts)


def _is_used_as_axis(value: HostValue | list[HostValue]) -> None:
    if isinstance(value, Parameter) and not value.is_tensor:
        value.is_axis = True


def _is_tuple(arguments: list[HostValue]) -> TypeGuard[list[tuple[HostValue, ...]]]:
    return bool(arguments) and isinstance(arguments[0], tuple)


def _made(arguments: list[HostValue]) -> HostTensor:
    shape = arguments[0] if arguments else UNKNOWN
    if isinstance(shape, Shape):
        return HostTensor(like=shape.tensor)
    if len(arguments) == 1 and shape is UNKNOWN:
        return HostTensor()
    parts = shape if isinstance(shape, tuple) else tuple(arguments)
    axes = {at: part for at, part in enumerate(parts) if isinstance(part, Sym)}
    return HostTensor(rank=len(parts), axes=axes)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):  # wrap_triton(kernel)[grid](...)
        return _last_name(node.args[0]) if node.args else ""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
