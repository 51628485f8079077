"""The grid for a bare kernel, read from how it uses its program's number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playground.model.kernel_plan import KernelPlan
from playground.model.symbolic import (
    Sym,
    const,
    factors,
    leaf,
    leaves,
    make,
    terms,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


_PROGRAMS = 4


# ------------------------------------------------------------------------------------ grid


def set_grid(plan: KernelPlan) -> None:
    """Choose the grid from the sizes chosen so far."""
    plan.grid_texts = []
    highest = max(plan.use.axes, default=0)
    for axis in range(highest + 1):
        size = _programs(plan, axis)
        value = plan.bound(size)
        plan.grid[axis] = max(value, 1) if value is not None else _PROGRAMS
        told = value is not None and value >= 1
        plan.grid_texts.append(_text(size, plan) if told else str(_PROGRAMS))


def _programs(plan: KernelPlan, axis: int) -> Sym:
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


def _text(sym: Sym, plan: KernelPlan) -> str:
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


def grid_text(plan: KernelPlan, names: Mapping[str, str]) -> str:
    """Return the grid as Python."""
    inner = ", ".join(
        re.sub(r'(?<!["\w])([A-Za-z_]\w*)(?![\w("])', lambda m: names.get(m[1], m[1]), text)
        for text in plan.grid_texts
    )
    inner = f"({inner},)" if len(plan.grid_texts) == 1 else f"({inner})"
    return f"lambda meta: {inner}" if "meta[" in inner else inner
