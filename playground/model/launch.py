"""A launch: one captured call of a kernel, as the window and the command line see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playground.model.config import Config
from playground.model.knobs import Knob


@dataclass(frozen=True)
class TensorInfo:
    """A tensor argument: `shape` and `strides` in elements, `dtype` by torch's name (`float16`).

    `storage` numbers the distinct storages of a launch: two arguments with one number overlap.
    `alignment` is the largest power of two up to 16 that divides the data pointer, in bytes.
    """

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...]
    element_size: int
    storage: int
    storage_offset: int
    storage_nbytes: int
    alignment: int
    device: str

    @property
    def elements(self) -> int:
        """Number of elements of the view."""
        count = 1
        for size in self.shape:
            count *= size
        return count


@dataclass(frozen=True)
class Argument:
    """One argument of a launch, by the kernel's parameter name."""

    name: str
    kind: Literal["tensor", "int", "float", "bool", "none", "constexpr", "descriptor", "other"]
    text: str
    tensor: TensorInfo | None = None


@dataclass(frozen=True)
class Preset:
    """A config that the file itself offers (`@triton.autotune`).

    `tuned` tells whether its tuner would time it here: a performance model and `top_k` of
    `prune_configs_by` may leave it out.
    """

    label: str
    config: Config
    tuned: bool = True


@dataclass(frozen=True)
class Launch:
    """One captured launch; `grid` is padded to three dimensions, `programs` is its product.

    `line` is the kernel's `def`, `call_line` the line of the user's file that launched it.
    `knobs` are all tunables; `config` holds the values of this launch. `count` is how many like
    launches (same kernel, place, grid, config and kinds of arguments) this one stands for: a loop's
    launches are one row.
    """

    index: int
    kernel: str
    file: str
    line: int
    call_line: int | None
    grid: tuple[int, int, int]
    grid_kind: Literal["callable", "fixed"]
    arguments: tuple[Argument, ...]
    knobs: tuple[Knob, ...]
    config: Config
    presets: tuple[Preset, ...] = ()
    wrappers: tuple[str, ...] = ()
    count: int = 1

    @property
    def programs(self) -> int:
        """Number of programs in the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    def knob(self, name: str) -> Knob:
        """Return the knob called `name`; raises `KeyError` if there is none."""
        for knob in self.knobs:
            if knob.name == name:
                return knob
        raise KeyError(name)

    def tensors(self) -> tuple[Argument, ...]:
        """Return the tensor arguments in order."""
        return tuple(argument for argument in self.arguments if argument.tensor is not None)
