"""Giving a kernel the best few configs to choose from: `@triton.autotune` with the right key."""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING

from playground.engine.edits import Edit
from playground.engine.freezing_tuners import config_text
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    kernel = launch.info.kernel
    if not callable(launch.grid):
        raise NoTunerError(
            f"the grid of {kernel} is no function: it would not follow the tuner's choice; "
            "write it as lambda meta: (triton.cdiv(n, meta[...]),)"
        )
    # A tuner passes these whatever its configs say of them: a launch must not as well.
    always = [name for name in ALWAYS if name in configs[0]]
    names = tuple(dict.fromkeys([*tuned_names(configs), *always]))
    constexprs = wrappers.constexpr_names(launch.function)
    given = {item.arg for item in node.keywords}
    elsewhere = [name for name in names if name in constexprs and name not in given]
    if elsewhere or wrappers.heuristics_of(launch.kernel):
        what = ", ".join(elsewhere) or "what heuristics set"
        raise NoTunerError(f"{what} is not given by name where {kernel} is launched")
    namespace = wrappers.python_function(launch.function).__globals__
    triton = next(
        (
            name for name, value in namespace.items()
            if isinstance(value, types.ModuleType) and value.__name__ == "triton"
        ),
        None,
    )  # fmt: skip
    if triton is None:
        raise NoTunerError(f"the file of {kernel} does not import triton by name")
    make = f"{triton}.Config"
    texts = [config_text(make, {name: one[name] for name in names}) for one in configs]
    return frozenset(names), decorated(definition, triton, texts, key)


def decorated(
    definition: Definition, triton: str, configs: Iterable[str], key: Sequence[str]
) -> Edit:
    """Return the edit that puts an autotuner above the kernel's `jit`.

    Parameters
    ----------
    triton
        The name of the module `triton` in the kernel's file.
    configs
        The source text of each `triton.Config`.

    Raises
    ------
    NoTunerError
        The kernel has no decorator `jit` in the text.
    """
    function = definition.function()
    jit = next(
        (
            item for item in (function.decorator_list if function is not None else ())
            if ast.unparse(item).partition("(")[0].rpartition(".")[2] == "jit"
        ),
        None,
    )  # fmt: skip
    if jit is None:
        raise NoTunerError(f"{definition.name} has no @jit in the text to put a tuner above")
    indent = " " * (jit.col_offset - 1)
    lines = "".join(f"{indent}        {config},\n" for config in configs)
    names = ", ".join(f'"{name}"' for name in key)
    text = (
        f"@{triton}.autotune(\n{indent}    configs=[\n{lines}{indent}    ],\n"
        f"{indent}    key=[{names}],\n{indent})\n{indent}"
    )
    return Edit(jit.lineno, jit.col_offset - 1, jit.lineno, jit.col_offset - 1, text)
