"""Giving a kernel the best few configs to choose from: `@triton.autotune` with the right key."""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING

from playground.engine.edits import Edit
from playground.engine.freezing_tuners import config_text
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.freezing_tuners import Definition
    from playground.model.config import Config


ALWAYS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
"""Launch options that a `triton.Config` always gives, with defaults of its own."""


class NoTunerError(ValueError):
    """A kernel that cannot be given an autotuner by editing its text; the message says why."""


def tuned_names(configs: Sequence[Config]) -> tuple[str, ...]:
    """Return the knobs in which these configs differ: those that the tuner has to choose."""
    first = configs[0]
    return tuple(
        name for name in first if any(one.as_dict().get(name) != first[name] for one in configs)
    )


def key_of(launch: CapturedLaunch, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the arguments that say what problem it is: another value may want another config.

    Whole numbers that are a problem size of the driver; where none is, all that are no stride.
    """
    constexprs = wrappers.constexpr_names(launch.function)
    numbers = {
        name: value
        for name, value in launch.arguments.items()
        if isinstance(value, int) and not isinstance(value, bool) and name not in constexprs
    }
    numbers = {name: value for name, value in numbers.items() if "stride" not in name.lower()}
    return tuple(n for n, value in numbers.items() if value in sizes.values()) or tuple(numbers)


def new_tuner(
    launch: CapturedLaunch, definition: Definition, node: ast.Call, configs: Sequence[Config],
    key: Sequence[str],
) -> tuple[frozenset[str], Edit]:  # fmt: skip
    """Return the knobs that a new tuner chooses, and the edit that puts it above the kernel.

    Parameters
    ----------
    node
        The launch in the text; the knobs have to be taken out of it.
    configs
        All that it chooses between, the first one to be tried first.

    Raises
    ------
    NoTunerError
        The launch would not follow the tuner's choice.
    """
    # A tuner passes these whatever its configs say of them: a launch must not as well.
    always = [name for name in ALWAYS if name in configs[0]]
    names = tuple(dict.fromkeys([*tuned_names(configs), *always]))
    why = why_not_editable(launch, node, names)
    if why:
        raise NoTunerError(why)
    triton = module_name(launch)
    lines = "".join(
        f"        {config_text(f'{triton}.Config', {name: one[name] for name in names})},\n"
        for one in configs
    )
    named = ", ".join(f'"{name}"' for name in key)
    text = f"@{triton}.autotune(\n    configs=[\n{lines}    ],\n    key=[{named}],\n)\n"
    return frozenset(names), above_jit(definition, text)


def why_not_editable(launch: CapturedLaunch, node: ast.Call, names: Sequence[str]) -> str:
    """Return why a launch cannot leave these knobs to a decorator, or an empty string."""
    kernel = launch.info.kernel
    if not callable(launch.grid):
        return (
            f"the grid of {kernel} is no function: it would not follow the tuner's choice; "
            "write it as lambda meta: (triton.cdiv(n, meta[...]),)"
        )
    constexprs = wrappers.constexpr_names(launch.function)
    given = {item.arg for item in node.keywords}
    elsewhere = [name for name in names if name in constexprs and name not in given]
    if elsewhere or wrappers.heuristics_of(launch.kernel):
        what = ", ".join(elsewhere) or "what heuristics set"
        return f"{what} is not given by name where {kernel} is launched"
    return ""


def module_name(launch: CapturedLaunch) -> str:
    """Return what the module `triton` is called in the kernel's file.

    Raises
    ------
    NoTunerError
        It is not imported there as a module.
    """
    namespace = wrappers.python_function(launch.function).__globals__
    for name, value in namespace.items():
        if isinstance(value, types.ModuleType) and value.__name__ == "triton":
            return name
    raise NoTunerError(f"the file of {launch.info.kernel} does not import triton by name")


def above_jit(definition: Definition, text: str) -> Edit:
    """Return the edit that puts lines above the kernel's `jit`.

    Raises
    ------
    NoTunerError
        The kernel is no function of the module with a decorator `jit`.
    """
    function = definition.function()
    for item in function.decorator_list if function is not None else ():
        if ast.unparse(item).partition("(")[0].rpartition(".")[2] == "jit" and item.col_offset == 1:
            return Edit(item.lineno, 0, item.lineno, 0, text)
    raise NoTunerError(f"{definition.name} has no @jit of the module's to put something above")
