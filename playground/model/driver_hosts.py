"""The driver for a launcher: arguments that fit its signature, its checks and its kernels."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.driver_tensors import DriverText, Tensor
from playground.model.host_fit import fit
from playground.model.host_plan import HostPlan, bound_launches, origin_of
from playground.model.host_sizes import set_sizes
from playground.model.host_use import HostUse, Parameter
from playground.model.symbolic import Sym, leaves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.model.kernel_use import KernelUse


LAUNCH_OPTIONS = {"num_warps": "4", "num_stages": "2", "num_ctas": "1", "maxnreg": "None"}
"""What a driver passes for a parameter that becomes an option of a launch."""


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
        What is called, such as `add` or `model`; `setup` are lines that make it, in which
        `{device}` is the device and `{last 64}` the last dimension of the first tensor of rows,
        or 64.
    about
        What the driver is for, as its first comment says it.
    returns
        Whether the launcher gives its result back; else what it stored to is the driver's value.
    """
    for scale in (1, 2, 4, 8, 16):
        plan = HostPlan(use, kernels, tuned, defaults, scale=scale)
        set_sizes(plan)
        _arguments(plan)
        fit(plan)
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
        text.line(_last_size(plan, each.replace("{device}", text.device), names))
    variables = {name: text.tensor(tensor, names) for name, tensor in plan.tensors.items()}
    others = {name: each.replace("{device}", text.device) for name, each in plan.others.items()}
    given = {
        name: variables.get(name) or (names.get(name) if each.given else "") or others.get(name, "")
        for name, each in use.parameters.items()
    }
    while given and not given[next(reversed(given))]:
        given.popitem()
    arguments = []
    by_name = False
    for name, passed in given.items():
        if not passed and call.endswith(".apply"):
            # Torch passes arguments on to `forward` by position only.
            arguments.append(ast.unparse(defaults[name]))
            continue
        by_name = by_name or not passed or use.parameters[name].by_keyword
        if passed:
            arguments.append(f"{name}={passed}" if by_name else passed)
    text.line()
    text.call(call, arguments)
    if not returns:
        text.result([variables[name] for name in _stored(plan) if name in variables])
    return text.text()


def _last_size(plan: HostPlan, line: str, names: Mapping[str, str]) -> str:
    tensor = next((tensor for tensor in plan.tensors.values() if len(tensor.texts) > 1), None)
    size = r"\1" if tensor is None else names.get(tensor.texts[-1], tensor.texts[-1])
    return re.sub(r"\{last (\d+)\}", size, line)


def _stored(plan: HostPlan) -> list[str]:
    found: dict[str, None] = {}
    for _, kernel, bound in bound_launches(plan):
        for pointer, value in bound.items():
            if pointer in kernel.pointers and kernel.kinds(pointer) - {"load"}:
                origin = origin_of(value)
                if origin:
                    found[origin] = None
    return list(found)


# ------------------------------------------------------------------------------ arguments


def _arguments(plan: HostPlan) -> None:
    use = plan.use
    pointers, integers, floats = _passed(plan)
    options = _options(plan)
    for name, parameter in use.parameters.items():
        annotation = parameter.annotation
        if name in plan.defaults and not parameter.needed:
            if driver_values.asks_for_kernels(name):
                plan.others[name] = "True"
            if isinstance(parameter.default, int):
                plan.values[name] = int(parameter.default)
            continue
        if name in options:
            plan.others[name] = options[name]
            continue
        if parameter.words:
            plan.others[name] = repr(parameter.words[0])
            continue
        if "dtype" in annotation or re.fullmatch(r"\w*dtype", name):
            plan.others[name] = "torch.float32"
            continue
        if re.search(r"Optional|\bNone\b", annotation) and not parameter.needed:
            plan.others[name] = "None"
            continue
        listed = driver_values.list_of(name, annotation, parameter.items)
        if listed:
            plan.others[name] = listed
            continue
        if parameter.is_axis and not parameter.is_tensor and name not in pointers:
            plan.others[name] = "-1"
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
        elif driver_values.is_count(name):
            plan.numbers[name] = plan.values[name] = plan.size_of(name, matrices=False)
        else:
            plan.others[name] = repr(driver_values.float_of(name))


def _passed(plan: HostPlan) -> tuple[set[str], set[str], set[str]]:
    """Return the parameters that kernels take as addresses, whole numbers and other numbers."""
    pointers: set[str] = set()
    integers: set[str] = set()
    floats: set[str] = set()
    for launch in plan.use.launches:
        integers |= {each.name for size in launch.grid for each in leaves(size)}
    for _, kernel, bound in bound_launches(plan):
        whole = kernel.integers()
        for name, value in bound.items():
            origin = origin_of(value)
            if name in kernel.pointers or name in kernel.descriptors:
                pointers |= {origin} if origin else set()
            elif isinstance(value, Parameter) or (isinstance(value, Sym) and value.op == "param"):
                target = integers if name in whole or name in kernel.constexprs else floats
                target.add(value.name)
    return pointers, integers, floats


def _options(plan: HostPlan) -> dict[str, str]:
    """Return the parameters that launches take as options, with a value each."""
    return {
        value.name: LAUNCH_OPTIONS[option]
        for launch in plan.use.launches
        for option, value in launch.named
        if option in LAUNCH_OPTIONS and isinstance(value, Parameter) and not value.is_tensor
    }


def _tensor(plan: HostPlan, name: str, parameter: Parameter) -> Tensor:
    sizes, texts = [], []
    for axis in range(parameter.rank or 0):
        value = plan.values.get(f"{name}.{axis}", 64)
        sizes.append(value)
        texts.append(plan.names.get(f"{name}.{axis}") or str(value))
    tensor = Tensor(driver_values.plain_name(name), tuple(texts), tuple(sizes))
    tensor.dtype = parameter.dtype
    tensor.comment = f"{name}: {parameter.annotation}" if "[" in parameter.annotation else ""
    return tensor
