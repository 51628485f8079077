"""The driver for a launcher: arguments that fit its signature, its checks and its kernels."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.driver_tensors import DriverText, Tensor
from playground.model.host_use import HostTensor, HostUse, Parameter
from playground.model.symbolic import Sym, bounds, leaf, leaves

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from playground.model.host_use import HostLaunch, HostValue
    from playground.model.kernel_use import KernelUse

_FLAT_ELEMENTS = 1000
_INDEX_VALUES = 8
_OFFSET_VALUES = 64


@dataclass
class _Plan:
    use: HostUse
    kernels: Mapping[str, KernelUse]
    tuned: Mapping[str, Mapping[str, int]]
    defaults: Mapping[str, ast.expr]
    values: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    programs: int = 1
    scale: int = 1

    def size_of(self, name: str, *, matrices: bool) -> int:
        """Return a number for a size called `name`, scaled down with all others."""
        value = driver_values.size_of(name, matrices=matrices)
        return value if value < 8 else max(value // self.scale, 4)


def host_driver(
    use: HostUse,
    kernels: Mapping[str, KernelUse],
    tuned: Mapping[str, Mapping[str, int]],
    defaults: Mapping[str, ast.expr],
    call: str,
    setup: list[str],
    taken: set[str],
    about: str,
    *,
    returns: bool,
) -> str:
    """Return the driver's text for a launcher.

    Parameters
    ----------
    tuned
        By kernel, the constexprs that its autotuner or heuristics give, with a value of theirs.
    call
        What is called, such as `add` or `model`; `setup` are lines that make it.
    about
        What the driver is for, as its first comment says it.
    returns
        Whether the launcher gives its result back; else what it stored to is the driver's value.
    """
    for scale in (1, 2, 4, 8, 16):
        plan = _Plan(use, kernels, tuned, defaults, scale=scale)
        _sizes(plan)
        _arguments(plan)
        _fit(plan)
        if plan.programs <= driver_values.MOST_PROGRAMS:
            break
    text = DriverText(taken)
    text.comment(
        f"Written by the app for {about}.",
        "Sizes, shapes and types come from its signature and use.",
        "Change what you know better.",
    )
    text.start(triton=False)
    used = [part for tensor in plan.tensors.values() for part in tensor.texts]
    numbers = {n: v for n, v in plan.numbers.items() if n in used or n in use.parameters}
    names = text.numbers(numbers)
    for each in setup:
        text.line(each.replace("{device}", text.device))
    variables = {name: text.tensor(tensor, names) for name, tensor in plan.tensors.items()}
    arguments = []
    by_name = False
    for name in use.parameters:
        given = variables.get(name) or names.get(name) or plan.others.get(name)
        if given is None:
            by_name = True
            continue
        arguments.append(f"{name}={given}" if by_name else given)
    text.line()
    text.call(call, arguments)
    if not returns:
        text.result([variables[name] for name in _stored(plan) if name in variables])
    return text.text()


def _stored(plan: _Plan) -> list[str]:
    found: dict[str, None] = {}
    for _, kernel, bound in _bound_launches(plan):
        for pointer, value in bound.items():
            if pointer in kernel.pointers and kernel.kinds(pointer) - {"load"}:
                origin = _origin(value)
                if origin:
                    found[origin] = None
    return list(found)


# ---------------------------------------------------------------------------------- sizes


def _sizes(plan: _Plan) -> None:
    """Give every size that the launcher looks at a name and a number; equal ones the same."""
    use = plan.use
    parents: dict[str, str] = {}

    def root(key: str) -> str:
        while parents.get(key, key) != key:
            key = parents[key]
        return key

    _ranks(plan)
    _same_ranks(use)
    keys = [
        f"{name}.{axis}" for name, parameter in use.parameters.items()
        for axis in range(parameter.rank or 0)
    ]  # fmt: skip
    for one, other in use.equal:
        pairs = [(_positive(plan, one), _positive(plan, other))]
        if "." not in one and "." not in other:
            rank = use.parameters[one].rank or 0
            pairs = [(f"{one}.{a}", f"{other}.{a}") for a in range(rank)]
        for a, b in pairs:
            parents[root(b)] = root(a)
    by_name: dict[str, str] = {}
    for key, name in use.called.items():
        place = _positive(plan, key)
        owner, _, what = key.partition(".")
        if what == "numel":
            if owner not in use.parameters or use.parameters[owner].rank != 1:
                continue
            place = f"{owner}.0"
        if name in by_name:
            parents[root(place)] = root(by_name[name])
        by_name.setdefault(name, root(place))
    fixed: dict[str, int] = {}
    for name, parameter in use.parameters.items():
        for at, size in parameter.axes.items():
            found = bounds(size, {})
            if found is not None:
                fixed[root(_positive(plan, f"{name}.{at}"))] = found[0]
    labels = {root(place): name for name, place in by_name.items()}
    matrices = {"M", "N"} <= set(by_name) or {"m", "n"} <= set(by_name)
    for key in keys:
        top = root(key)
        label = labels.get(top) or (top if top in use.parameters else "")
        name, _, axis = top.partition(".")
        if label:
            value = plan.size_of(label, matrices=matrices)
            value = (
                min(value, 256) if (use.parameters[key.partition(".")[0]].rank or 1) > 1 else value
            )
        elif axis:
            rank = use.parameters[name].rank or 1
            value = _FLAT_ELEMENTS if rank == 1 else _default_size(rank, int(axis))
            value = value if value < 8 else max(value // plan.scale, 4)
        else:
            value = 64
        plan.values[key] = plan.values.setdefault(top, fixed.get(top, value))
        plan.names[key] = label
        if label:
            plan.numbers[label] = plan.values[key]
    for name, parameter in use.parameters.items():
        _derived_sizes(plan, name, parameter)


def _default_size(rank: int, axis: int) -> int:
    """Return a size that has no name: rows and columns, or batch, heads, length and width."""
    behind = rank - 1 - axis
    return [192, 128][behind] if rank == 2 else [64, 128, 4, 2][min(behind, 3)]


def _ranks(plan: _Plan) -> None:
    """Take the positions that are looked at for the least rank there can be."""
    use = plan.use
    seen: dict[str, list[int]] = {}
    for text in _all_names(plan):
        name, _, axis = text.partition(".")
        if name not in use.parameters:
            continue
        if re.fullmatch(r"-?\d+", axis):
            seen.setdefault(name, []).append(int(axis))
        elif re.fullmatch(r"s-?\d+", axis):
            seen.setdefault(name, []).append(int(axis[1:]))
        elif axis == "numel":
            seen.setdefault(name, [])
    for name, parameter in use.parameters.items():
        places = seen.get(name, [])
        if parameter.rank is None and name in seen:
            back = max((-place for place in places if place < 0), default=0)
            ahead = max((place + 1 for place in places if place >= 0), default=0)
            # Who looks at the last size only takes rows of it: two dimensions are the plainest.
            parameter.rank = max(ahead, back, 2 if back == 1 and not ahead else 1)


def _all_names(plan: _Plan) -> list[str]:
    found = [*plan.use.called, *(name for pair in plan.use.equal for name in pair)]
    for launch in plan.use.launches:
        for value in (*launch.positional, *(each for _, each in launch.named), *launch.grid):
            for sym in _syms(value):
                found += [each.name for each in leaves(sym) if each.op == "param"]
    return found


def _syms(value: HostValue) -> list[Sym]:
    if isinstance(value, Sym):
        return [value]
    if isinstance(value, tuple):
        return [sym for part in value for sym in _syms(part)]
    return list(value.axes.values()) if isinstance(value, HostTensor) else []


def _same_ranks(use: HostUse) -> None:
    """Give tensors of equal shape the larger of their ranks: each may show a part of it."""
    for one, other in use.equal:
        if "." not in one and "." not in other:
            first, second = use.parameters[one], use.parameters[other]
            rank = max(first.rank or 0, second.rank or 0)
            first.rank = second.rank = rank or None


def _positive(plan: _Plan, key: str) -> str:
    name, _, axis = key.partition(".")
    parameter = plan.use.parameters.get(name)
    if axis.startswith("-") and parameter is not None and parameter.rank is not None:
        return f"{name}.{int(axis) + parameter.rank}"
    return key


def _derived_sizes(plan: _Plan, name: str, parameter: Parameter) -> None:
    rank = parameter.rank
    if rank is None:
        return
    whole = 1
    for axis in reversed(range(rank)):
        plan.values[f"{name}.s{axis}"] = plan.values[f"{name}.s{axis - rank}"] = whole
        size = plan.values.get(f"{name}.{axis}", 1)
        plan.values[f"{name}.{axis - rank}"] = size
        whole *= size
    plan.values[f"{name}.numel"] = whole


# ------------------------------------------------------------------------------ arguments


def _arguments(plan: _Plan) -> None:
    use = plan.use
    pointers, integers, floats = _passed(plan)
    for name, parameter in use.parameters.items():
        annotation = parameter.annotation
        if name in plan.defaults:
            continue
        if parameter.is_tensor or name in pointers:
            parameter.is_tensor = True
            plan.tensors[name] = _tensor(plan, name, parameter)
        elif "float" in annotation or (name in floats and name not in integers):
            plan.others[name] = repr(driver_values.float_of(name))
        elif "bool" in annotation or ("int" not in annotation and driver_values.is_truth(name)):
            plan.others[name] = "False"
        elif "str" in annotation:
            plan.others[name] = '""'
        elif "int" in annotation or name in integers or parameter.is_number:
            matrices = {"M", "N"} <= set(use.parameters)
            value = plan.size_of(name, matrices=matrices)
            if driver_values.is_block(name):
                value = 64
            plan.numbers[name] = plan.numbers.get(name, value)
            plan.values[name] = plan.numbers[name]
        elif re.fullmatch(r"(in|out)?_?(puts?|data|x|y|z|[a-d]|q|k|v|w|weights?|bias|mask|"
                          r"source|target|result)s?", name.lower()):  # fmt: skip
            plan.tensors[name] = _tensor(plan, name, parameter)
        else:
            plan.others[name] = repr(driver_values.float_of(name))


def _passed(plan: _Plan) -> tuple[set[str], set[str], set[str]]:
    """Return the parameters that kernels take as addresses, whole numbers and other numbers."""
    pointers: set[str] = set()
    integers: set[str] = set()
    floats: set[str] = set()
    for launch in plan.use.launches:
        integers |= {each.name for size in launch.grid for each in leaves(size)}
    for _, kernel, bound in _bound_launches(plan):
        whole = kernel.integers()
        for name, value in bound.items():
            origin = _origin(value)
            if name in kernel.pointers or name in kernel.descriptors:
                pointers |= {origin} if origin else set()
            elif isinstance(value, Parameter) or (isinstance(value, Sym) and value.op == "param"):
                target = integers if name in whole or name in kernel.constexprs else floats
                target.add(value.name)
    return pointers, integers, floats


def _bound_launches(
    plan: _Plan,
) -> list[tuple[HostLaunch, KernelUse, dict[str, HostValue]]]:
    found = []
    for launch in plan.use.launches:
        kernel = plan.kernels.get(launch.kernel)
        if kernel is not None:
            bound = dict(zip(kernel.parameters, launch.positional, strict=False))
            bound.update(dict(launch.named))
            found.append((launch, kernel, bound))
    return found


def _origin(value: HostValue) -> str:
    return value.origin if isinstance(value, HostTensor) else ""


def _tensor(plan: _Plan, name: str, parameter: Parameter) -> Tensor:
    sizes, texts = [], []
    for axis in range(parameter.rank or 0):
        value = plan.values.get(f"{name}.{axis}", 64)
        sizes.append(value)
        texts.append(plan.names.get(f"{name}.{axis}") or str(value))
    tensor = Tensor(driver_values.plain_name(name), tuple(texts), tuple(sizes))
    tensor.dtype = parameter.dtype
    tensor.comment = f"{name}: {parameter.annotation}" if "[" in parameter.annotation else ""
    return tensor


# ------------------------------------------------------------------------------------ fit


def _fit(plan: _Plan) -> None:
    """Make every tensor as large as the kernels' addresses ask for, and of the type they need."""
    for one, other in plan.use.same_dtype:
        tensors = [plan.tensors[name] for name in (one, other) if name in plan.tensors]
        known = next((tensor.dtype for tensor in tensors if tensor.dtype), "")
        for tensor in tensors:
            tensor.dtype = tensor.dtype or known
    needs: dict[str, int] = {}
    untold: set[str] = set()
    for launch, kernel, bound in _bound_launches(plan):
        values: dict[str, int] = dict(plan.tuned.get(launch.kernel, {}))
        for name, value in bound.items():
            sym = _number(value)
            found = bounds(sym, plan.values) if sym is not None else None
            if found is not None:
                values[name] = found[0]
        for name in kernel.constexprs:
            if name not in values:
                values[name] = int(driver_values.constexpr_of(name, flat=True))
        meta = {**plan.values, **{f"@{name}": value for name, value in values.items()}}
        grid = [1, 1, 1]
        for axis, size in enumerate(launch.grid[:3]):
            found = bounds(size, meta)
            grid[axis] = max(found[1], 1) if found is not None else 4
        plan.programs = max(plan.programs, math.prod(grid))
        loaded = {
            pointer: _OFFSET_VALUES if driver_values.holds_offsets(pointer) else _INDEX_VALUES
            for pointer in kernel.index_pointers()
        }
        for pointer, need in kernel.required(values, grid, loaded).items():
            origin = _origin(bound[pointer]) if pointer in bound else ""
            if origin in plan.tensors:
                _content(plan, origin, kernel, pointer, loaded)
                if need is None:
                    untold.add(origin)
                else:
                    needs[origin] = max(needs.get(origin, 1), need)
    tied = {key for pair in plan.use.equal for key in pair}
    for name, tensor in plan.tensors.items():
        whole = math.prod(tensor.sizes)
        need = needs.get(name)
        if not tensor.sizes:
            _flat(
                plan, tensor, need or _FLAT_ELEMENTS, sure=need is not None and name not in untold
            )
        elif (
            need is not None
            and need > whole
            and f"{name}.0" not in tied
            and not plan.names.get(f"{name}.0")
        ):
            # Only a size that nothing else speaks of may grow: the others the launcher checks.
            rest = max(whole // max(tensor.sizes[0], 1), 1)
            first = -(-need // rest)
            tensor.texts = (str(first), *tensor.texts[1:])
            tensor.sizes = (first, *tensor.sizes[1:])
        counts = re.search(r"(^|_)(idx|ids?|ind(ex|ices)|labels?|targets?)$", name.lower())
        if counts and tensor.role == "float" and not tensor.dtype:
            tensor.role, tensor.top, tensor.dtype = "index", _INDEX_VALUES, "torch.int64"


def _flat(plan: _Plan, tensor: Tensor, need: int, *, sure: bool) -> None:
    named = [(n, v) for n, v in plan.numbers.items() if n in plan.use.parameters and v > 1]
    shapes: list[tuple[str, ...]] = [(n,) for n, v in named if v == need]
    shapes += [(a, b) for a, x in named for b, y in named if a != b and x * y == need]
    shapes += [
        (a, b, c) for a, x in named for b, y in named for c, z in named
        if len({a, b, c}) == 3 and x * y * z == need
    ]  # fmt: skip
    tensor.texts = shapes[0] if shapes else (str(need),)
    tensor.sizes = tuple(plan.numbers[n] for n in tensor.texts) if shapes else (need,)
    if not sure:
        tensor.comment = "its shape could not be read from the file: check it"


def _number(value: HostValue) -> Sym | None:
    if isinstance(value, Parameter):
        return leaf("param", value.name)
    return value if isinstance(value, Sym) else None


def _content(
    plan: _Plan, name: str, kernel: KernelUse, pointer: str, loaded: Mapping[str, int]
) -> None:
    tensor, kinds = plan.tensors[name], kernel.kinds(pointer)
    if "lock" in kinds:
        tensor.role = "lock"
    elif pointer in loaded:
        tensor.role = "offsets" if driver_values.holds_offsets(pointer) else "index"
        tensor.top = loaded[pointer]
    elif "atomic" in kinds:
        tensor.role = "zeros"
    elif pointer in kernel.flags:
        tensor.role = "bool"
    elif pointer in kernel.packed:
        tensor.role = "packed"
    elif "load" not in kinds and tensor.role == "float":
        tensor.role = "output"
    elif "load" in kinds and tensor.role == "output":
        tensor.role = "float"
