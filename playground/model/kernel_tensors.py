"""The tensors for a bare kernel: shapes, strides and contents read from its accesses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.driver_tensors import Role, Tensor
from playground.model.kernel_plan import KernelPlan
from playground.model.symbolic import (
    ZERO,
    Sym,
    const,
    factors,
    leaf,
    make,
    terms,
)

if TYPE_CHECKING:
    pass


_UNTOLD_ELEMENTS = 4096


# --------------------------------------------------------------------------------- tensors


def tensors_of(plan: KernelPlan) -> dict[str, Tensor]:
    """Return a tensor for each of the kernel's addresses, and choose strides."""
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


def _shape(plan: KernelPlan, pointer: str) -> tuple[list[tuple[int, str]], list[str]]:
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


def _split(plan: KernelPlan, term: Sym) -> tuple[str, Sym]:
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


def _size_text(plan: KernelPlan, size: int, hinted: str) -> str:
    if hinted and plan.sizes.get(hinted) == size:
        return hinted
    same = [name for name, value in plan.sizes.items() if value == size and size > 1]
    return same[0] if len(same) == 1 else str(size)


def _pretty(plan: KernelPlan, need: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
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


def _role(plan: KernelPlan, pointer: str) -> Role:
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
