"""What is known of a kernel's parameters: addresses, sizes, seeds, and how far they reach."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from playground.model.symbolic import (
    Cap,
    Sym,
    bounds,
    leaves,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


Kind = Literal["load", "store", "atomic", "lock"]


@dataclass(frozen=True)
class Access:
    """One load or store of a pointer parameter: the address, and what holds where it happens."""

    pointer: str
    offset: Sym
    caps: tuple[Cap, ...]
    kind: Kind


@dataclass(frozen=True)
class Block:
    """A block pointer or a descriptor made in the kernel."""

    pointer: Sym
    shape: tuple[Sym, ...]
    strides: tuple[Sym, ...]


Value = Sym | Block | tuple["Value", ...]


@dataclass
class KernelUse:
    """A kernel's parameters and all that its body does with them.

    `aranged` are parameters that an `arange` ends at: powers of two.
    """

    name: str
    parameters: tuple[str, ...]
    constexprs: tuple[str, ...]
    defaults: dict[str, ast.expr]
    accesses: list[Access] = field(default_factory=list)
    descriptors: dict[str, int] = field(default_factory=dict)
    conditions: list[Cap] = field(default_factory=list)
    loop_ends: list[Sym] = field(default_factory=list)
    arithmetic: list[Sym] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    dtypes: set[str] = field(default_factory=set)
    seeds: set[str] = field(default_factory=set)
    aranged: set[str] = field(default_factory=set)
    flags: set[str] = field(default_factory=set)
    packed: set[str] = field(default_factory=set)
    axes: set[int] = field(default_factory=set)
    uses_dot: bool = False

    @property
    def pointers(self) -> tuple[str, ...]:
        """Parameters that are addresses, in order."""
        used = {access.pointer for access in self.accesses}
        return tuple(name for name in self.parameters if name in used)

    def kinds(self, pointer: str) -> set[Kind]:
        """Return what is done with `pointer`."""
        return {access.kind for access in self.accesses if access.pointer == pointer}

    def index_pointers(self) -> set[str]:
        """Return the pointers whose loaded values are used as addresses, limits or counts."""
        places = [access.offset for access in self.accesses]
        places += [side for access in self.accesses for cap in access.caps
                   for side in (cap.left, cap.right)]  # fmt: skip
        places += self.loop_ends
        return {each.name for place in places for each in leaves(place) if each.op == "loaded"}

    def integers(self) -> set[str]:
        """Return the scalar parameters that addresses, limits and counts are made of."""
        places = [access.offset for access in self.accesses] + self.loop_ends + self.arithmetic
        for cap in (*self.conditions, *(cap for access in self.accesses for cap in access.caps)):
            places += [cap.left, cap.right]
        found = {each.name for place in places for each in leaves(place) if each.op == "param"}
        return (found | self.seeds) - set(self.pointers)

    def required(
        self, values: Mapping[str, int], grid: Sequence[int], loaded: Mapping[str, int]
    ) -> dict[str, int | None]:
        """Return how many elements each pointer must have; None where that can't be told."""
        needed: dict[str, int | None] = {}
        for access in self.accesses:
            found = bounds(access.offset, values, grid, access.caps, loaded)
            before = needed.get(access.pointer, 1)
            needed[access.pointer] = (
                None if found is None or before is None else max(before, found[1] + 1)
            )
        return needed
