"""Giving a kernel one config for each range of sizes: a table in the file, read at every launch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine.freezing_autotune import (
    ALWAYS,
    NoTunerError,
    above_jit,
    module_name,
    tuned_names,
    why_not_editable,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.edits import Edit
    from playground.engine.freezing_tuners import Definition
    from playground.model.config import Config


@dataclass(frozen=True)
class Measured:
    """The best config where the kernel's arguments had these values; `arguments` are numbers."""

    arguments: tuple[tuple[str, int], ...]
    config: Config


@dataclass(frozen=True)
class Dispatch:
    """Configs by the product of `arguments`: each holds up to its bound, the last for all beyond.

    A bound lies between two measured sizes, at their geometric mean.
    """

    arguments: tuple[str, ...]
    sizes: tuple[int, ...]
    configs: tuple[Config, ...]

    @property
    def bounds(self) -> tuple[int, ...]:
        """The largest size of every config but the last."""
        pairs = zip(self.sizes, self.sizes[1:], strict=False)
        return tuple(math.isqrt(one * other) for one, other in pairs)

    def size_of(self, arguments: Mapping[str, int]) -> int:
        """Return the product that a launch with these arguments is looked up by."""
        return math.prod(arguments[name] for name in self.arguments)

    def config_at(self, size: int) -> Config:
        """Return the config for a size."""
        for bound, config in zip(self.bounds, self.configs, strict=False):
            if size <= bound:
                return config
        return self.configs[-1]


def dispatch_of(measured: Sequence[Measured]) -> Dispatch:
    """Return the table of several sizes; strides follow sizes and are no part of it.

    Raises
    ------
    NoTunerError
        The sizes do not differ in any whole number that the kernel is given.
    """
    first = dict(measured[0].arguments)
    differing = tuple(
        name
        for name in first
        if "stride" not in name.lower()
        and any(dict(one.arguments).get(name) != first[name] for one in measured)
    )
    if not differing:
        raise NoTunerError("the sweeps are not of different sizes: no argument tells them apart")
    found = {
        math.prod(dict(one.arguments).get(name, 1) for name in differing): one.config
        for one in measured
    }
    sizes = tuple(sorted(found))
    return Dispatch(differing, sizes, tuple(found[size] for size in sizes))


def new_dispatch(
    launch: CapturedLaunch, definition: Definition, node: ast.Call, dispatch: Dispatch
) -> tuple[frozenset[str], Edit]:
    """Return the knobs that the table sets, and the edit that puts it above the kernel.

    Raises
    ------
    NoTunerError
        The launch would not follow it.
    """
    names = tuple(
        dict.fromkeys(
            [*tuned_names(dispatch.configs),
             *(n for n in ALWAYS if dispatch.configs[0].as_dict().get(n) is not None)]
        )
    )  # fmt: skip
    why = why_not_editable(launch, node, names)
    if why:
        raise NoTunerError(why)
    triton = module_name(launch)
    kernel = definition.name
    size = " * ".join(f'args["{name}"]' for name in dispatch.arguments)
    said = " * ".join(dispatch.arguments)
    rows = [
        f"    ({bound or 'None'}, {{{_items(config, names)}}}),  # measured at {at}"
        for bound, config, at in zip(
            [*dispatch.bounds, None], dispatch.configs, dispatch.sizes, strict=True
        )
    ]
    table, function = f"{kernel}_configs", f"{kernel}_config"
    text = "\n".join(
        [
            f"# The config by {said}: each row holds up to its bound, the last one for all beyond.",
            "# Bounds lie at the geometric mean of the sizes that were measured.",
            f"{table} = (",
            *rows,
            ")",
            "",
            "",
            f"def {function}(args):",
            f'    """Return the config of {kernel} for the sizes in `args`."""',
            f"    size = {size}",
            f"    return next(config for bound, config in {table} "
            "if bound is None or size <= bound)",
            "",
            "",
            f"@{triton}.heuristics(",
            "    {",
            *(f'        "{name}": lambda args: {function}(args)["{name}"],' for name in names),
            "    }",
            ")",
            "",
        ]
    )
    return frozenset(names), above_jit(definition, text)


def _items(config: Config, names: Sequence[str]) -> str:
    values = config.as_dict()
    return ", ".join(f'"{name}": {_text(values.get(name))}' for name in names)


def _text(value: object) -> str:
    return value if isinstance(value, str) and value.startswith("tl.") else repr(value)
