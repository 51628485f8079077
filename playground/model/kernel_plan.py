"""What a driver for a bare kernel is made of: the numbers chosen, and the grid."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.symbolic import (
    Sym,
    bounds,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.model.kernel_use import Access, KernelUse


@dataclass
class KernelPlan:
    """The numbers chosen for a kernel's parameters, and how a driver writes them."""

    use: KernelUse
    tuned: Mapping[str, int]
    sizes: dict[str, int] = field(default_factory=dict)
    strides: dict[str, int] = field(default_factory=dict)
    stride_texts: dict[str, str] = field(default_factory=dict)
    constexprs: dict[str, int] = field(default_factory=dict)
    constexpr_texts: dict[str, str] = field(default_factory=dict)
    floats: dict[str, float] = field(default_factory=dict)
    loaded: dict[str, int] = field(default_factory=dict)
    grid: list[int] = field(default_factory=lambda: [1, 1, 1])
    grid_texts: list[str] = field(default_factory=list)
    scale: int = 1

    def size_of(self, name: str, *, matrices: bool) -> int:
        """Return a number for a size called `name`, scaled down with all others."""
        value = driver_values.size_of(name, matrices=matrices)
        return value if value < 8 else max(value // self.scale, 4)

    @property
    def values(self) -> dict[str, int]:
        """All numbers chosen so far, by the parameter's name."""
        return {**self.sizes, **self.strides, **self.constexprs}

    def bound(self, sym: Sym, access: Access | None = None) -> int | None:
        """Return the greatest value of `sym`, where `access` happens."""
        caps = access.caps if access is not None else ()
        found = bounds(sym, self.values, self.grid, caps, self.loaded)
        return None if found is None else found[1]
