"""The driver for a bare kernel: sizes, tensors, strides and grid read from what its body does."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.driver_tensors import DriverText, Role, Tensor
from playground.model.symbolic import (
    ZERO,
    Sym,
    bounds,
    const,
    factors,
    leaf,
    leaves,
    make,
    terms,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from playground.model.kernel_use import Access, KernelUse

_INDEX_VALUES = 8
_OFFSET_VALUES = 64
_PROGRAMS = 4
_UNTOLD_ELEMENTS = 4096


@dataclass
class _Plan:
    use: KernelUse
    tuned: Mapping[str, int]
    sizes: dict[str, int] = field(default_factory=dict)
    strides: dict[str, int] = field(default_factory=dict)
    stride_texts: dict[str, str] = field(default_factory=dict)
    constexprs: dict[str, int] = field(default_factory=dict)
    constexpr_texts: dict[str, str] = field(default_factory=dict)
    floats: dict[str, float] = field(default_factory=dict)
    loaded: dict[str, int] = field(default_factory=dict)
    grid: list[int] = field(default_factory=lambda: [1, 1, 1])
    grid_texts: list[str] = field(default_factory=list)
    scale: int = 1

    def size_of(self, name: str, *, matrices: bool) -> int:
        """Return a number for a size called `name`, scaled down with all others."""
        value = driver_values.size_of(name, matrices=matrices)
        return value if value < 8 else max(value // self.scale, 4)

    @property
    def values(self) -> dict[str, int]:
        return {**self.sizes, **self.strides, **self.constexprs}

    def bound(self, sym: Sym, access: Access | None = None) -> int | None:
        """Return the greatest value of `sym`, where `access` happens."""
        caps = access.caps if access is not None else ()
        found = bounds(sym, self.values, self.grid, caps, self.loaded)
        return None if found is None else found[1]


def kernel_driver(
    use: KernelUse, call: str, tuned: Mapping[str, int], taken: set[str], line: int
) -> str:
    """Return the driver's text for a kernel launched by nobody.

    Parameters
    ----------
    call
        How the kernel is reached in the file (`kernel`, `Ops.kernel`).
    tuned
        Constexprs that the kernel's own autotuner or heuristics give, with a value of theirs.
    taken
        Names of the file's own, which the driver's variables must not hide.
    """
    for scale in (1, 2, 4, 8, 16):
        plan = _Plan(use, tuned, scale=scale)
        _scalars(plan)
        _grid(plan)
        _rows_in_one_block(plan)
        _grid(plan)
        if math.prod(plan.grid) <= driver_values.MOST_PROGRAMS:
            break
    tensors = _tensors(plan)
    text = DriverText(taken)
    text.comment(
        f"Written by the app for {use.name} (line {line}), which nothing here launches.",
        "Sizes, shapes and types are read from the kernel.",
        "Change what you know better.",
    )
    text.start()
    names = text.numbers(plan.sizes)
    variables = {pointer: text.tensor(tensor, names) for pointer, tensor in tensors.items()}
    text.launch(call, _arguments(plan, variables, names), _grid_text(plan, names), "")
    stored = [variables[p] for p in tensors if use.kinds(p) - {"load"}]
    text.result(stored)
    return text.text()


# --------------------------------------------------------------------------------- numbers


def _scalars(plan: _Plan) -> None:
    use = plan.use
    integers = use.integers()
    pointers = {*use.pointers, *use.descriptors}
    matrices = use.uses_dot or {"M", "N"} <= set(use.parameters)
    flat = len(use.axes) <= 1 and not use.uses_dot
    for name in use.parameters:
        if name in pointers:
            continue
        if name in use.constexprs:
            plan.constexprs[name] = _constexpr(plan, name, flat=flat)
        elif _is_stride(use, name):
            plan.strides[name] = 1
        elif name in use.defaults:
            continue
        elif name in integers or (driver_values.size_of(name, matrices=matrices) != 64):
            value = 0 if name in use.seeds else plan.size_of(name, matrices=matrices)
            plan.sizes[name] = value
        elif driver_values.is_truth(name):
            plan.sizes[name] = 1
        else:
            plan.floats[name] = driver_values.float_of(name)
    for name in use.index_pointers() & set(use.pointers):
        offsets = driver_values.holds_offsets(name)
        plan.loaded[name] = _OFFSET_VALUES if offsets else _INDEX_VALUES


def _constexpr(plan: _Plan, name: str, *, flat: bool) -> int:
    default = plan.use.defaults.get(name)
    known = _integer(default) if default is not None else None
    if known is not None:
        return known
    if name in plan.tuned:
        return plan.tuned[name]
    return int(driver_values.constexpr_of(name, flat=flat))


def _integer(node: ast.expr) -> int | None:
    value = getattr(node, "value", None)
    return int(value) if isinstance(value, int) else None


def _is_stride(use: KernelUse, name: str) -> bool:
    if "stride" in name.lower():
        return True
    if name in use.constexprs or name not in use.integers():
        return False
    limits = [side for access in use.accesses for cap in access.caps
              for side in (cap.left, cap.right)]  # fmt: skip
    limits += [side for cap in use.conditions for side in (cap.left, cap.right)]
    if any(leaf("param", name) in leaves(each) for each in (*limits, *use.loop_ends)):
        return False
    if not re.fullmatch(r"s[a-z]{1,3}\d?|s_\w+|ld\w|\w*_(row|col|batch|head)_?s", name.lower()):
        return False
    return any(
        leaf("param", name) in factors(term)
        for access in use.accesses
        for term in terms(access.offset)
    )


def _rows_in_one_block(plan: _Plan) -> None:
    """Make a block that must hold a whole row as large as the row."""
    for access in plan.use.accesses:
        for cap in access.caps:
            left, right = cap.left, cap.right
            if left.op == "upto" and left.args[0].op == "param" and right.op == "param":
                block = left.args[0].name
                repeats = any(
                    block in {each.name for each in leaves(term)}
                    for term in terms(access.offset)
                    if term != left and left not in factors(term)
                )
                if repeats or block not in plan.constexprs:
                    continue
                size = plan.sizes.get(right.name)
                if size is not None:
                    whole = 1 << max(size - 1, 0).bit_length()
                    # What a heuristic or a tuner gives is not known: at least a row, it may be.
                    known = plan.constexprs[block] if block in plan.tuned else 0
                    plan.constexprs[block] = max(whole, known)
                    plan.constexpr_texts[block] = f"triton.next_power_of_2({right.name})"


# ------------------------------------------------------------------------------------ grid


def _grid(plan: _Plan) -> None:
    plan.grid_texts = []
    highest = max(plan.use.axes, default=0)
    for axis in range(highest + 1):
        size = _programs(plan, axis)
        value = plan.bound(size)
        plan.grid[axis] = max(value, 1) if value is not None else _PROGRAMS
        told = value is not None and value >= 1
        plan.grid_texts.append(_text(size, plan) if told else str(_PROGRAMS))


def _programs(plan: _Plan, axis: int) -> Sym:
    """Return how many programs an axis needs, as an expression of the kernel's parameters."""
    use, pid = plan.use, leaf("pid", value=axis)
    caps = [*use.conditions, *(cap for access in use.accesses for cap in access.caps)]
    for cap in caps:
        if cap.left == pid and not leaves(cap.right) & {pid}:
            return cap.right if cap.strict else make("+", cap.right, const(1))
    arithmetic = [each for each in use.arithmetic if pid in leaves(each)]
    tiles = _tile_counts(arithmetic)
    if tiles:
        product = tiles[0]
        for tile in tiles[1:]:
            product = make("*", product, tile)
        return product
    for left, right in (
        *((cap.left, cap.right) for cap in caps),
        *(each.args for each in use.arithmetic if each.op == "%"),
    ):
        step = _step_of(left, pid)
        if step is not None and not leaves(right) & {pid} and not _has_loops(right):
            return make("cdiv", right, step)
    parts = [each.args[1] for each in arithmetic if each.op in ("//", "%") and each.args[0] == pid]
    if parts:
        inner = parts[0]
        outer = next(
            (cap.right for cap in caps if cap.left == make("//", pid, inner)), const(_PROGRAMS // 2)
        )
        return make("*", outer, inner)
    unused = [
        name for name in plan.sizes
        if re.fullmatch(r"m|b|batch\w*|\w*rows?|\w*tokens|z", name.lower()) and axis == 0
        and not any(leaf("param", name) in leaves(c.right) for c in caps)
    ]  # fmt: skip
    if unused:
        return leaf("param", unused[0])
    split = [name for name in plan.constexprs if "split" in name.lower()]
    if axis and split:
        return leaf("param", split[0])
    return const(_PROGRAMS if axis == 0 else 2)


def _tile_counts(arithmetic: list[Sym]) -> list[Sym]:
    found: dict[Sym, None] = {}

    def look(sym: Sym) -> None:
        if sym.op == "cdiv" and not any(arg.op == "cdiv" for arg in sym.args):
            found[sym] = None
        for arg in sym.args:
            look(arg)

    for each in arithmetic:
        look(each)
    return list(found)


def _step_of(sym: Sym, pid: Sym) -> Sym | None:
    """Return what `pid` is multiplied with where `sym` is `pid * step + …`."""
    for term in terms(sym):
        inner = factors(term)
        if pid in inner:
            rest = [part for part in inner if part != pid]
            step = rest[0] if rest else const(1)
            for part in rest[1:]:
                step = make("*", step, part)
            return step
    return None


def _has_loops(sym: Sym) -> bool:
    return sym.op in ("between", "repeated", "loaded", "unknown") or any(map(_has_loops, sym.args))


def _text(sym: Sym, plan: _Plan) -> str:
    """Return `sym` as Python, with constexprs looked up in the grid's `meta`."""
    if sym.op == "const":
        return str(sym.value)
    if sym.op == "param":
        return f'meta["{sym.name}"]' if sym.name in plan.constexprs else sym.name
    parts = [_text(arg, plan) for arg in sym.args]
    if sym.op == "cdiv":
        return f"triton.cdiv({parts[0]}, {parts[1]})"
    if sym.op == "pow2":
        return f"triton.next_power_of_2({parts[0]})"
    if sym.op in ("+", "-", "*", "//", "%"):
        wrapped = [
            f"({part})" if arg.op in ("+", "-", "//", "%") else part
            for part, arg in zip(parts, sym.args, strict=True)
        ]
        return f" {sym.op} ".join(wrapped)
    if sym.op in ("min", "max"):
        return f"{sym.op}({', '.join(parts)})"
    value = plan.bound(sym)
    return str(max(value or 1, 1))


def _grid_text(plan: _Plan, names: Mapping[str, str]) -> str:
    inner = ", ".join(
        re.sub(r'(?<!["\w])([A-Za-z_]\w*)(?![\w("])', lambda m: names.get(m[1], m[1]), text)
        for text in plan.grid_texts
    )
    inner = f"({inner},)" if len(plan.grid_texts) == 1 else f"({inner})"
    return f"lambda meta: {inner}" if "meta[" in inner else inner


# --------------------------------------------------------------------------------- tensors


def _tensors(plan: _Plan) -> dict[str, Tensor]:
    use = plan.use
    tensors: dict[str, Tensor] = {}
    shapes = {pointer: _shape(plan, pointer) for pointer in use.pointers}
    for pointer in use.pointers:
        variable = driver_values.plain_name(pointer)
        dims, owned = shapes[pointer]
        sizes = [size for size, _ in dims]
        for position, name in enumerate(owned):
            if plan.stride_texts.setdefault(name, f"{pointer}.stride({position})") == (
                f"{pointer}.stride({position})"
            ):
                plan.strides[name] = math.prod(sizes[position + 1 :])
        tensors[pointer] = Tensor(variable, tuple(text for _, text in dims), tuple(sizes))
    needed = use.required(plan.values, plan.grid, plan.loaded)
    for pointer, tensor in tensors.items():
        need = needed.get(pointer)
        if need is None:
            tensor.comment = "its size could not be read from the kernel: check it"
            if not tensor.sizes:
                tensor.texts, tensor.sizes = (str(_UNTOLD_ELEMENTS),), (_UNTOLD_ELEMENTS,)
        elif not tensor.sizes or math.prod(tensor.sizes) < need:
            tensor.texts, tensor.sizes = _pretty(plan, need)
            for name, text in list(plan.stride_texts.items()):
                if text.startswith(f"{pointer}."):
                    plan.stride_texts[name] = str(plan.strides[name])
        tensor.role = _role(plan, pointer)
        tensor.top = plan.loaded.get(pointer, 0)
    for name, rank in use.descriptors.items():
        sizes = [128, 64, 64, 64, 64][:rank]
        tensors[name] = Tensor(
            driver_values.plain_name(name), tuple(map(str, sizes)), tuple(sizes), "float",
            descriptor=True,
        )  # fmt: skip
    return tensors


def _shape(plan: _Plan, pointer: str) -> tuple[list[tuple[int, str]], list[str]]:
    """Return a pointer's dimensions as (size, text), and the stride parameters they belong to."""
    extents: dict[str, tuple[int, str]] = {}
    last: tuple[int, str] = (0, "")
    for access in plan.use.accesses:
        if access.pointer != pointer:
            continue
        sums: dict[str, int] = {}
        texts: dict[str, str] = {}
        for term in terms(access.offset):
            stride, index = _split(plan, term)
            top = plan.bound(index, access)
            if top is None:
                return [], []
            sums[stride] = sums.get(stride, 0) + top
            name = next(
                (cap.right.name for cap in access.caps
                 if cap.right.op == "param" and cap.left in _parts(index)), "",
            )  # fmt: skip
            texts[stride] = texts.get(stride) or name
        for stride, top in sums.items():
            size = max(top + 1, 1)
            if stride:
                if size > extents.get(stride, (0, ""))[0]:
                    extents[stride] = (size, _size_text(plan, size, texts[stride]))
            elif size > last[0]:
                last = (size, _size_text(plan, size, texts[stride]))
    if not extents:
        return [], []
    order = [name for name in plan.use.parameters if name in extents]
    dims = [extents[name] for name in order]
    # A summand without a stride runs through the last dimension, whose stride is one.
    return (dims if not last[0] or (last[0] == 1 and len(dims) > 1) else [*dims, last]), order


def _split(plan: _Plan, term: Sym) -> tuple[str, Sym]:
    """Return the stride parameter of an address's summand, and the index it steps."""
    if term.op == "repeated":
        stride, index = _split(plan, term.args[0])
        return stride, make("repeated", index, *term.args[1:])
    inner = factors(term)
    stride = next((part.name for part in inner if part.op == "param" and part.name in plan.strides),
                  "")  # fmt: skip
    index = const(1)
    for part in inner:
        if not stride or part != leaf("param", stride):
            index = make("*", index, part)
    return stride, index if inner else ZERO


def _parts(index: Sym) -> tuple[Sym, ...]:
    return (index, *index.args)


def _size_text(plan: _Plan, size: int, hinted: str) -> str:
    if hinted and plan.sizes.get(hinted) == size:
        return hinted
    same = [name for name, value in plan.sizes.items() if value == size and size > 1]
    return same[0] if len(same) == 1 else str(size)


def _pretty(plan: _Plan, need: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the shape of a flat buffer of `need` elements, by the sizes' names if they fit."""
    named = [(name, value) for name, value in plan.sizes.items() if value > 1]
    for name, value in named:
        if value == need:
            return (name,), (need,)
    for a, first in named:
        for b, second in named:
            if a != b and first * second == need:
                return (a, b), (first, second)
    for a, first in named:
        for b, second in named:
            for c, third in named:
                if len({a, b, c}) == 3 and first * second * third == need:
                    return (a, b, c), (first, second, third)
    return (str(need),), (need,)


def _role(plan: _Plan, pointer: str) -> Role:
    use, kinds = plan.use, plan.use.kinds(pointer)
    if "lock" in kinds:
        return "lock"
    if pointer in plan.loaded:
        return "offsets" if driver_values.holds_offsets(pointer) else "index"
    if "atomic" in kinds:
        return "zeros"
    if pointer in use.flags:
        return "bool"
    if pointer in use.packed:
        return "packed"
    return "float" if "load" in kinds else "output"


def _arguments(
    plan: _Plan, variables: Mapping[str, str], names: Mapping[str, str]
) -> list[tuple[str, bool]]:
    """Return the launch's arguments as text, with whether each goes by name."""
    use, found = plan.use, []
    by_name = False
    for name in use.parameters:
        text: str | None = None
        if name in variables:
            text = variables[name]
        elif name in plan.strides and name not in use.constexprs:
            text = plan.stride_texts.get(name, "1")
            pointer = text.partition(".")[0]
            text = text.replace(f"{pointer}.", f"{variables.get(pointer, pointer)}.", 1)
        elif name in plan.sizes:
            text = names[name]
        elif name in plan.floats:
            text = repr(plan.floats[name])
        elif name in plan.constexprs and name not in {*plan.tuned, *use.defaults}:
            text = _constexpr_text(plan, name, names)
        if text is None:
            by_name = True  # left to its default or to the tuner: those after it go by name
            continue
        named = by_name or name in use.constexprs
        found.append((f"{name}={text}" if named else text, named))
    return found


def _constexpr_text(plan: _Plan, name: str, names: Mapping[str, str]) -> str:
    if name in plan.constexpr_texts:
        text = plan.constexpr_texts[name]
        return re.sub(r"\((\w+)\)", lambda m: f"({names.get(m[1], m[1])})", text)
    if name in plan.use.texts:
        return repr(plan.use.texts[name])
    if name in plan.use.dtypes:
        return "triton.language.float32"
    if driver_values.is_truth(name):
        return str(bool(plan.constexprs[name]))
    return str(plan.constexprs[name])
