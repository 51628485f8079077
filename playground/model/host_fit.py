"""Tensors made as large as the addresses of the kernels behind a launcher ask for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.driver_tensors import Tensor
from playground.model.host_plan import FLAT_ELEMENTS, HostPlan, bound_launches, number_of, origin_of
from playground.model.symbolic import bounds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.model.kernel_use import KernelUse


_QUERIES = ("q", "Q", "query", "queries")
_LIKE_QUERIES = frozenset({
    "k", "v", "key", "value", "keys", "values", "o", "do", "out", "output", "dout", "grad_output",
})  # fmt: skip

# ------------------------------------------------------------------------------------ fit


def fit(plan: HostPlan) -> None:
    """Make every tensor as large as the kernels' addresses ask for, and of the type they need."""
    for one, other in plan.use.same_dtype:
        tensors = [plan.tensors[name] for name in (one, other) if name in plan.tensors]
        known = next((tensor.dtype for tensor in tensors if tensor.dtype), "")
        for tensor in tensors:
            tensor.dtype = tensor.dtype or known
    needs: dict[str, int] = {}
    untold: set[str] = set()
    for launch, kernel, bound in bound_launches(plan):
        values: dict[str, int] = dict(plan.tuned.get(launch.kernel, {}))
        for name, value in bound.items():
            sym = number_of(value)
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
            pointer: driver_values.OFFSET_VALUES
            if driver_values.holds_offsets(pointer)
            else driver_values.INDEX_VALUES
            for pointer in kernel.index_pointers()
        }
        for pointer, need in kernel.required(values, grid, loaded).items():
            origin = origin_of(bound[pointer]) if pointer in bound else ""
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
        sure = need is not None and name not in untold
        if not tensor.sizes and not sure and _as_queries(plan, name, tensor, need):
            continue
        if not tensor.sizes:
            _flat(plan, tensor, need or FLAT_ELEMENTS, sure=sure)
        elif (
            need is not None
            and need > whole
            and 0 not in plan.use.parameters[name].axes  # an assertion gives it
            and (
                name in plan.guessed
                or (f"{name}.0" not in tied and not plan.names.get(f"{name}.0"))
            )
        ):
            # Only a size that nothing else speaks of may grow: the others the launcher checks.
            rest = max(whole // max(tensor.sizes[0], 1), 1)
            first = -(-need // rest)
            tensor.texts = (str(first), *tensor.texts[1:])
            tensor.sizes = (first, *tensor.sizes[1:])
        if driver_values.is_index(name) and tensor.role == "float" and not tensor.dtype:
            tensor.role, tensor.top, tensor.dtype = (
                "index",
                driver_values.INDEX_VALUES,
                "torch.int64",
            )


def _as_queries(plan: HostPlan, name: str, tensor: Tensor, need: int | None) -> bool:
    """Give keys, values and the output of attention the shape of its queries, if that is known."""
    queries = next((plan.tensors[each] for each in _QUERIES if each in plan.tensors), None)
    if queries is None or len(queries.sizes) < 2 or name.lower() not in _LIKE_QUERIES:
        return False
    if need is not None and need > math.prod(queries.sizes):
        return False
    tensor.texts, tensor.sizes = queries.texts, queries.sizes
    tensor.dtype = tensor.dtype or queries.dtype
    tensor.comment = "as large as the queries"
    return True


def _flat(plan: HostPlan, tensor: Tensor, need: int, *, sure: bool) -> None:
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


def _content(
    plan: HostPlan, name: str, kernel: KernelUse, pointer: str, loaded: Mapping[str, int]
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
