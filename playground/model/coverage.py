"""Coverage: which program loads and stores which element, how often."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal

from playground.model.access_site import AccessKind, AccessSite
from playground.model.config import Config
from playground.model.hazard import Hazard

FLOP_KINDS = ("fp16", "bf16", "tf32", "fp32", "fp64", "fp8", "fp4", "int8")
"""What `tl.dot` multiplies, by the names under which GPUs' peak rates are given."""


def flop_kind(dtype: str, precision: str) -> str:
    """Return which of `FLOP_KINDS` a `tl.dot` of operands of Triton's `dtype` is.

    `precision` is its `input_precision`: float32 operands are multiplied as tf32 unless it says
    otherwise.
    """
    if dtype == "fp32":
        named = precision.lower()
        return "tf32" if "tf32" in named else "bf16" if "bf16" in named else "fp32"
    if dtype.startswith("fp8"):
        return "fp8"
    return "int8" if dtype in ("int8", "uint8") else dtype


def scaled_dot(
    left: tuple[int, ...], columns: int, fp4: tuple[bool, bool], right_packed_along_k: bool
) -> tuple[int, int, int, str]:
    """Return rows, columns, depth and kind (of `FLOP_KINDS`) of a `tl.dot_scaled`.

    `left` is the shape of the left operand and `columns` the last axis of the right one, in bytes
    where an operand is `fp4`: two elements sit in one.
    """
    rows, depth = prod(left[:-1]), left[-1] * (2 if fp4[0] else 1)
    if fp4[1] and not right_packed_along_k:
        columns *= 2
    return rows, columns, depth, "fp4" if all(fp4) else "fp8"


_COMBINED = {
    "sum": "sum",
    "prod": "prod",
    "elementwise_max": "max",
    "elementwise_min": "min",
    "argmax": "argmax",
    "argmin": "argmin",
    "xor": "xor_sum",
    "or": "reduce_or",
}
_SCANNED = {"sum": "cumsum", "prod": "cumprod"}


def operation_name(kind: Literal["reduce", "scan"] | str, combined_by: str) -> str:
    """Return the name of a reduction or scan by the function that combines two elements.

    Triton's own are called as the user calls them (`sum`, `argmax`, `cumsum`), others
    `reduce by NAME` and `scan by NAME`.
    """
    plain = combined_by.removeprefix("_").partition("_combine")[0]
    named = _COMBINED if kind == "reduce" else _SCANNED
    if combined_by.startswith("_") and plain in named:
        return named[plain]
    return f"{kind} by {combined_by}" if combined_by else kind


@dataclass(frozen=True)
class AccessCount:
    """How often the elements of a tensor are loaded (or stored): in total, least and most."""

    total: int
    minimum: int
    maximum: int


@dataclass(frozen=True)
class OutOfBounds:
    """Lanes of one access that fell outside every tensor of the launch.

    `distance` is in elements of the nearest tensor: past its end when positive, before its
    start when negative. `program` is the linear program id of the first such lane.
    """

    tensor: str
    kind: AccessKind
    program: int
    distance: int
    lanes: int
    line: int | None = None
    file: str | None = None


@dataclass(frozen=True)
class TensorCoverage:
    """Coverage of one tensor argument (of its view, so strides and offsets are honoured).

    `unwritten` counts elements that no program stored, None for a tensor the launch never
    stores to; `multi_written` counts elements stored by two or more different programs.
    `disputed` counts those in which they stored different values, None where values were not
    compared. `out_of_bounds` counts lanes. `unread` counts elements that no program loaded, None
    for a tensor that the launch never loads from. `read_again` gives the first and last element
    (counted row by row) of the one short run that is loaded more often than all the others; None
    where the loads are even or uneven in another way. `beside` counts elements loaded and stored in
    the tensor's memory that are none of its own, nor of another argument's: they lie between the
    elements of a strided view, or beside it.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    elements: int
    loads: AccessCount
    stores: AccessCount
    unwritten: int | None
    multi_written: int
    out_of_bounds: int
    disputed: int | None = None
    unread: int | None = None
    read_again: tuple[int, int] | None = None
    beside: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Coverage:
    """What one launch touches under one config, counted where it ran.

    `bytes_requested` counts every unmasked lane of every load and store; `bytes_unique` counts
    each element once per direction (read, written). `flops` are those of `tl.dot` (2·M·N·K each),
    `flops_by_kind` the same by what is multiplied (see `FLOP_KINDS`), zeros left out.
    `atomics` tells whether the launch has any: its programs may order themselves by them.
    `tensors` has those without elements last.
    `resolution` says when a budget made it count in windows or a sample instead of all of it.
    `sites` are its places in the source that touch memory, in the order in which they were first
    met; `hazards` what its programs do to each other. `operations` are element operations of
    reductions and scans by name (`sum`, `max`, `cumsum` …), zeros left out. `programs_counted` is
    None where all programs were counted; else all figures are of so many of them, and what only
    all of them tell (`unwritten`, `unread`, `read_again`, `hazards`) is left out.
    """

    launch: int
    config: Config
    grid: tuple[int, int, int]
    tensors: tuple[TensorCoverage, ...]
    bytes_requested: int
    bytes_unique: int
    flops: int
    out_of_bounds: tuple[OutOfBounds, ...]
    mode: Literal["gpu", "interpreter"]
    duration_ms: float
    resolution: str = "every element"
    notes: tuple[str, ...] = ()
    flops_by_kind: tuple[tuple[str, int], ...] = ()
    atomics: bool = False
    sites: tuple[AccessSite, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    operations: tuple[tuple[str, int], ...] = ()
    programs_counted: int | None = None

    @property
    def drawable(self) -> tuple[TensorCoverage, ...]:
        """The tensors that have elements, and so a map."""
        return tuple(item for item in self.tensors if item.elements)

    def tensor(self, name: str) -> TensorCoverage:
        """Return the coverage of the argument called `name`; raises `KeyError` if there is none."""
        for item in self.tensors:
            if item.name == name:
                return item
        raise KeyError(name)
