"""Knobs: what can be tuned in a launch, which values make sense, and how a value steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playground.model.knob_uses import Use

KnobValue = bool | int | float | str | None
"""The value of a knob; a dtype is its Triton name (`"tl.float16"`)."""

KnobKind = Literal["pow2", "int", "bool", "choice", "fixed"]
KnobOrigin = Literal["constexpr", "option"]

OPTION_KNOBS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
DTYPE_NAMES = (
    "tl.float16", "tl.bfloat16", "tl.float32", "tl.float64", "tl.float8e4nv", "tl.float8e5",
    "tl.int1", "tl.int8", "tl.int16", "tl.int32", "tl.int64",
    "tl.uint8", "tl.uint16", "tl.uint32", "tl.uint64",
)  # fmt: skip

_MOST_STAGES = 8
_FEW_ROUNDS = 16
_REGISTERS = (16, 255)
"""The least and the most registers a thread that ptxas takes as a limit."""


class KnobError(ValueError):
    """A value that a knob cannot take; the message says why and what would do."""


@dataclass(frozen=True)
class Knob:
    """One tunable of a launch.

    `kind` says how it steps: `pow2` through powers of two, `int` by one, `bool` and `choice`
    through `choices`; `fixed` is shown but cannot be moved (a function, a tuple). A `choice` with a
    minimum and maximum takes every whole number between them as well.
    `derived` marks a constexpr that the data dictates: changing it alone breaks the result.
    """

    name: str
    kind: KnobKind
    origin: KnobOrigin
    default: KnobValue
    choices: tuple[KnobValue, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    derived: bool = False
    note: str = ""

    def marked_derived(self, note: str) -> Knob:
        """Return the same knob marked as dictated by the data."""
        return replace(self, derived=True, note=note)


def is_power_of_two(value: int) -> bool:
    """Tell whether `value` is a power of two (1, 2, 4 and so on)."""
    return value > 0 and value & (value - 1) == 0


def constexpr_knob(name: str, value: object, use: Use | None = None) -> Knob:
    """Return the knob for a `tl.constexpr` parameter whose captured value is `value`.

    `use` is what the kernel's text uses it for, where that tells. A loop that runs often steps
    through powers of two all the same: by one it would take a day.
    """
    if isinstance(value, bool) or (use == "flag" and value in (0, 1)):
        return Knob(name, "bool", "constexpr", bool(value), (False, True))
    if isinstance(value, int):
        if use == "stages":
            return Knob(name, "int", "constexpr", value, minimum=min(1, value),
                        maximum=max(_MOST_STAGES, value))  # fmt: skip
        counted = use == "count" and value <= _FEW_ROUNDS
        if is_power_of_two(value) and not counted and (value > 1 or use == "block"):
            return Knob(name, "pow2", "constexpr", value, minimum=1, maximum=max(1 << 20, value))
        return Knob(name, "int", "constexpr", value, minimum=min(1 if counted else 0, value),
                    maximum=max(64, 4 * abs(value)))  # fmt: skip
    if isinstance(value, str):
        choices = DTYPE_NAMES if value in DTYPE_NAMES else (value,)
        return Knob(name, "choice", "constexpr", value, choices)
    # NaN equals nothing, not even itself: no result could be told to be of a config that holds it.
    if isinstance(value, float) and not math.isnan(value):
        return Knob(name, "choice", "constexpr", value, (value,))
    return Knob(name, "fixed", "constexpr", None, note=f"{value!r} cannot be moved")


def option_knob(name: str, value: int | None, *, maximum: int | None = None) -> Knob:
    """Return the knob for a launch option (`num_warps`, `num_stages`, `num_ctas`, `maxnreg`)."""
    if name == "num_warps":
        return Knob(name, "pow2", "option", value if value else 4, minimum=1, maximum=maximum or 32)
    if name == "num_stages":
        return Knob(
            name, "int", "option", 3 if value is None else value, minimum=1, maximum=maximum or 8
        )
    if name == "num_ctas":
        return Knob(name, "pow2", "option", value or 1, minimum=1, maximum=maximum or 16)
    if name == "maxnreg":
        choices = {32, 64, 96, 128, 168, 192, 224, 255} | ({value} if value else set())
        low, high = _REGISTERS
        return Knob(
            name, "choice", "option", value, (None, *sorted(choices)),
            minimum=min(low, value or low), maximum=max(high, value or high),
        )  # fmt: skip
    raise KnobError(f"{name} is not a launch option; known are {', '.join(OPTION_KNOBS)}")


def is_taken(name: str, target: str) -> bool:
    """Tell whether a launch option means something on a target (`cuda:90`, `hip:gfx942`).

    Only NVIDIA's assembler limits registers, and clusters of programs came with Hopper.
    """
    backend, _, architecture = target.partition(":")
    if name == "maxnreg":
        return backend == "cuda"
    if name == "num_ctas":
        return backend == "cuda" and (not architecture.isdecimal() or int(architecture) >= 90)
    return True


def validate(knob: Knob, value: KnobValue) -> KnobValue:
    """Return `value` as `knob` takes it.

    Raises
    ------
    KnobError
        The value is of the wrong type, out of range, or not a power of two where one is needed;
        the message names the nearest values that would do.
    """
    if knob.kind == "fixed":
        raise KnobError(f"{knob.name} cannot be moved: {knob.note or 'its value is no number'}")
    if isinstance(value, float) and math.isnan(value):
        raise KnobError(f"{knob.name} cannot be NaN, which equals nothing: write it in the file")
    if knob.kind == "bool":
        if isinstance(value, (bool, int)) and value in (0, 1):
            return bool(value)
        raise KnobError(f"{knob.name} is true or false, not {value!r}")
    if knob.kind == "choice":
        # A choice that was a free string or number in the file stays open to others of its type.
        if value in knob.choices or (
            knob.origin == "constexpr" and type(value) is type(knob.default)
        ):
            return value
        named = ", ".join("none" if choice is None else str(choice) for choice in knob.choices)
        if not takes_numbers(knob):
            raise KnobError(f"{knob.name} is one of {named}, not {value!r}")
        if isinstance(value, bool) or not isinstance(value, int):
            raise KnobError(f"{knob.name} is a whole number or one of {named}, not {value!r}")
    if isinstance(value, bool) or not isinstance(value, int):
        raise KnobError(f"{knob.name} is a whole number, not {value!r}")
    if knob.minimum is not None and value < knob.minimum:
        raise KnobError(f"{knob.name} is at least {knob.minimum}, not {value}")
    if knob.maximum is not None and value > knob.maximum:
        raise KnobError(f"{knob.name} is at most {knob.maximum}, not {value}")
    if knob.kind == "pow2" and not is_power_of_two(value):
        low = 1 << (value.bit_length() - 1)
        raise KnobError(
            f"{knob.name} must be a power of two (tl.arange and num_warps need one), not {value}: "
            f"try {low} or {2 * low}"
            + (", with a mask for the tail" if knob.origin == "constexpr" else "")
        )
    return value


def takes_numbers(knob: Knob) -> bool:
    """Tell whether a knob takes whole numbers that are not among its choices."""
    return knob.kind in ("pow2", "int") or (knob.kind == "choice" and knob.minimum is not None)


def step(knob: Knob, value: KnobValue, direction: Literal[-1, 1]) -> KnobValue:
    """Return the next value of `knob` in `direction`, or `value` itself at the end of its range."""
    if knob.kind in ("bool", "choice"):
        options = knob.choices if value in knob.choices else (*knob.choices, value)
        if takes_numbers(knob):
            numbers = sorted(each for each in options if isinstance(each, int))
            options = (*(each for each in options if not isinstance(each, int)), *numbers)
        index = options.index(value) + direction
        return options[min(max(index, 0), len(options) - 1)]
    if knob.kind == "fixed" or not isinstance(value, int):
        return value
    if knob.kind == "pow2":
        stepped = value * 2 if direction > 0 else max(1, value // 2)
    else:
        stepped = value + direction
    low = knob.minimum if knob.minimum is not None else stepped
    high = knob.maximum if knob.maximum is not None else stepped
    return min(max(stepped, low), high)


def sweep_values(knob: Knob, around: KnobValue) -> tuple[KnobValue, ...]:
    """Return the values a plain sweep tries for `knob`: a few steps either side of `around`."""
    if knob.derived or knob.kind == "fixed":
        return (around,)
    if knob.name == "num_warps":
        return (2, 4, 8, 16)
    if knob.name == "num_stages":
        return (1, 2, 3, 4)
    if knob.name in ("num_ctas", "maxnreg"):
        return (around,)
    if knob.kind == "bool":
        return (False, True)
    if knob.kind == "choice":
        return (around,)
    values = {around}
    for direction in (-1, 1):
        value = around
        for _ in range(2 if knob.kind == "pow2" else 1):
            value = step(knob, value, -1 if direction < 0 else 1)
            values.add(value)
    return tuple(sorted(values, key=lambda item: item if isinstance(item, (int, float)) else 0))
