"""The driver for a bare kernel: sizes, tensors, strides and grid read from what its body does."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.driver_tensors import DriverText
from playground.model.kernel_grid import grid_text, set_grid
from playground.model.kernel_plan import KernelPlan
from playground.model.kernel_tensors import tensors_of
from playground.model.symbolic import (
    factors,
    leaf,
    leaves,
    terms,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from playground.model.kernel_use import KernelUse


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
        plan = KernelPlan(use, tuned, scale=scale)
        _scalars(plan)
        set_grid(plan)
        _rows_in_one_block(plan)
        set_grid(plan)
        if math.prod(plan.grid) <= driver_values.MOST_PROGRAMS:
            break
    tensors = tensors_of(plan)
    text = DriverText(taken)
    text.comment(
        f"Written by the app for {use.name} (line {line}), which nothing here launches.",
        "Sizes, shapes and types are read from the kernel.",
        "Change what you know better.",
    )
    text.start()
    names = text.numbers(plan.sizes)
    variables = {pointer: text.tensor(tensor, names) for pointer, tensor in tensors.items()}
    text.launch(call, _arguments(plan, variables, names), grid_text(plan, names), "")
    stored = [variables[p] for p in tensors if use.kinds(p) - {"load"}]
    text.result(stored)
    return text.text()


# --------------------------------------------------------------------------------- numbers


def _scalars(plan: KernelPlan) -> None:
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
        plan.loaded[name] = driver_values.OFFSET_VALUES if offsets else driver_values.INDEX_VALUES


def _constexpr(plan: KernelPlan, name: str, *, flat: bool) -> int:
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


def _rows_in_one_block(plan: KernelPlan) -> None:
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


def _arguments(
    plan: KernelPlan, variables: Mapping[str, str], names: Mapping[str, str]
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
        # What follows an argument by name goes by name, too.
        named = by_name = by_name or name in use.constexprs
        found.append((f"{name}={text}" if named else text, named))
    return found


def _constexpr_text(plan: KernelPlan, name: str, names: Mapping[str, str]) -> str:
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
