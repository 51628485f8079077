"""The sizes in a launcher: which are equal, what they are called, and a number for each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.host_plan import FLAT_ELEMENTS, HostPlan, bound_launches
from playground.model.host_use import HostTensor, HostUse, Parameter
from playground.model.symbolic import Sym, bounds, leaves

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.host_use import HostValue


def set_sizes(plan: HostPlan) -> None:
    """Give every size that the launcher looks at a name and a number; equal ones the same."""
    use = plan.use
    parents: dict[str, str] = {}

    def root(key: str) -> str:
        while parents.get(key, key) != key:
            key = parents[key]
        return key

    _ranks(plan)
    _same_ranks(use)
    _weights(plan)
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
    powers = {root(_positive(plan, key)) for key in _aranged(plan)}
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
            value = FLAT_ELEMENTS if rank == 1 else _default_size(rank, int(axis))
            value = value if value < 8 else max(value // plan.scale, 4)
        else:
            value = 64
        if top in powers:
            value = 1 << (value.bit_length() - 1)
        plan.values[key] = plan.values.setdefault(top, fixed.get(top, value))
        plan.names[key] = label
        if label:
            plan.numbers[label] = plan.values[key]
    for name, parameter in use.parameters.items():
        _derived_sizes(plan, name, parameter)
    for key, made in use.defined:
        found = bounds(made, plan.values)
        if found is not None and found[0] >= 1:
            _set_all(plan, keys, root, _positive(plan, key), found[0])
    _limit(plan, keys, root)


def _aranged(plan: HostPlan) -> list[str]:
    """Return the sizes that a kernel takes for the end of an `arange` as they are."""
    return [
        value.name
        for _, kernel, bound in bound_launches(plan)
        for name, value in bound.items()
        if name in kernel.aranged and isinstance(value, Sym) and value.op == "param"
    ]


def _limit(plan: HostPlan, keys: list[str], root: Callable[[str], str]) -> None:
    """Make sizes smaller that the launcher asserts to be no more than others."""
    for small, large in plan.use.at_most:
        one, other = bounds(small, plan.values), bounds(large, plan.values)
        if one is None or other is None or one[1] <= other[0] or other[0] < 1:
            continue
        parts = small.args if small.op == "*" else (small,)
        names = [part.name for part in parts if part.op == "param" and "." in part.name]
        if len(names) != 1:
            continue
        at = _positive(plan, names[0])
        value = plan.values.get(at, 0) * other[0] // one[1]
        if value >= 1:
            _set_all(plan, keys, root, at, value)


def _set_all(
    plan: HostPlan, keys: list[str], root: Callable[[str], str], at: str, value: int
) -> None:
    """Give the size `at` another number, and those equal to it."""
    for key in keys:
        if root(key) == root(at):
            plan.values[key] = value
            if plan.names.get(key):
                plan.numbers[plan.names[key]] = value
    for name, parameter in plan.use.parameters.items():
        _derived_sizes(plan, name, parameter)


def _default_size(rank: int, axis: int) -> int:
    """Return a size that has no name: rows and columns, or batch, heads, length and width."""
    behind = rank - 1 - axis
    return [192, 128][behind] if rank == 2 else [64, 128, 4, 2][min(behind, 3)]


def _ranks(plan: HostPlan) -> None:
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
        if parameter.rank is None and (name in seen or parameter.least_rank):
            back = max((-place for place in places if place < 0), default=0)
            ahead = max((place + 1 for place in places if place >= 0), default=0)
            # Who looks at the last size only takes rows of it: two dimensions are the plainest.
            rows = back == 1 and not ahead and not driver_values.is_index(name)
            parameter.rank = max(ahead, back, parameter.least_rank, 2 if rows else 1)


def _weights(plan: HostPlan) -> None:
    """Make weights of one dimension, of which nothing else is known, as long as a row."""
    use = plan.use
    told = {key.partition(".")[0] for pair in use.equal for key in pair}
    told |= {key.partition(".")[0] for key in (*use.called, *(key for key, _ in use.defined))}
    rows = next((name for name, each in use.parameters.items() if (each.rank or 0) > 1), "")
    for name, parameter in use.parameters.items():
        if rows and parameter.rank == 1 and name not in told and driver_values.is_weight(name):
            use.equal.append((f"{rows}.-1", f"{name}.0"))
            plan.guessed.add(name)


def _all_names(plan: HostPlan) -> list[str]:
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


def _positive(plan: HostPlan, key: str) -> str:
    name, _, axis = key.partition(".")
    parameter = plan.use.parameters.get(name)
    if axis.startswith("-") and parameter is not None and parameter.rank is not None:
        return f"{name}.{int(axis) + parameter.rank}"
    return key


def _derived_sizes(plan: HostPlan, name: str, parameter: Parameter) -> None:
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
