"""What a driver for a launcher is made of, and which parameter reaches which kernel's argument."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.driver_tensors import Tensor
from playground.model.host_use import HostTensor, HostUse, Parameter
from playground.model.symbolic import Sym, leaf

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from playground.model.host_use import HostLaunch, HostValue
    from playground.model.kernel_use import KernelUse


FLAT_ELEMENTS = 1000


@dataclass
class HostPlan:
    """The numbers and tensors chosen for a launcher's parameters, and how a driver writes them.

    `guessed` are tensors whose size is no more than likely.
    """

    use: HostUse
    kernels: Mapping[str, KernelUse]
    tuned: Mapping[str, Mapping[str, int]]
    defaults: Mapping[str, ast.expr]
    values: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    guessed: set[str] = field(default_factory=set)
    programs: int = 1
    scale: int = 1

    def size_of(self, name: str, *, matrices: bool) -> int:
        """Return a number for a size called `name`, scaled down with all others."""
        value = driver_values.size_of(name, matrices=matrices)
        return value if value < 8 else max(value // self.scale, 4)


def bound_launches(
    plan: HostPlan,
) -> list[tuple[HostLaunch, KernelUse, dict[str, HostValue]]]:
    """Return the launches of kernels that were read, each with its arguments by name."""
    found = []
    for launch in plan.use.launches:
        kernel = plan.kernels.get(launch.kernel)
        if kernel is not None:
            bound = dict(zip(kernel.parameters, launch.positional, strict=False))
            bound.update(dict(launch.named))
            found.append((launch, kernel, bound))
    return found


def origin_of(value: HostValue) -> str:
    """Return the parameter whose bytes a value looks at."""
    return value.origin if isinstance(value, HostTensor) else ""


def number_of(value: HostValue) -> Sym | None:
    """Return a value as a number, where it is one."""
    if isinstance(value, Parameter):
        return leaf("param", value.name)
    return value if isinstance(value, Sym) else None
