"""Along which axis of a block its pointers run on: guessed while the front end builds it.

An access and its counters are dealt out to threads alike, neighbours in memory to neighbouring
threads of a warp. The compiler finds neighbours after the front end; here the arithmetic on blocks
is followed for their steps, as far as it is plain. A wrong guess costs time, never a count.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton.language import core

from playground.engine.triton_private.tracing_program import ProgramSemantic

Steps = tuple[int, ...]
"""What a block's values grow by from one element to the next, for each axis; see `FAR`."""

FAR = 1 << 40
"""A step that only the run knows: neither 0 nor 1, or it would be known."""


def steps_of(value: Any) -> Steps | None:
    """Return the steps of a block, () for a scalar, None where they are not known."""
    value = core._unwrap_if_constexpr(value)
    if isinstance(value, tl.tensor) and value.type.is_block():
        return getattr(value, "steps", None)
    return ()


def with_steps(value: Any, steps: Steps | None) -> Any:
    """Note a block's steps, where they are known and fit it; return the block."""
    if steps is not None and isinstance(value, tl.tensor) and len(value.shape) == len(steps):
        value.steps = steps
    return value


def running_axis(block: Any) -> int:
    """Return the axis along which a block of pointers runs on, the last one where in doubt."""
    shape = [core._unwrap_if_constexpr(size) for size in block.shape]
    steps = steps_of(block)
    last = len(shape) - 1
    if not steps:
        return last
    moving = [axis for axis in range(len(shape)) if shape[axis] > 1 and steps[axis]]
    return min(moving, key=lambda axis: (abs(steps[axis]), -axis), default=last)


class AxisSemantic(ProgramSemantic):
    """The semantics of a program, noting the steps of blocks."""

    def arange(self, *arguments: Any, **keywords: Any) -> Any:
        """Build a range: one more from element to element."""
        return with_steps(super().arange(*arguments, **keywords), (1,))

    def expand_dims(self, input: Any, axis: int) -> Any:
        """Add an axis, along which nothing changes."""
        steps, made = steps_of(input), super().expand_dims(input, axis)
        return made if steps is None else with_steps(made, (*steps[:axis], 0, *steps[axis:]))

    def permute(self, input: Any, dims: Any) -> Any:
        """Exchange axes and their steps."""
        steps, made = steps_of(input), super().permute(input, dims)
        order = [core._unwrap_if_constexpr(axis) for axis in dims]
        return made if not steps else with_steps(made, tuple(steps[axis] for axis in order))

    def broadcast_impl_shape(self, input: Any, shape: Any) -> Any:
        """Repeat elements, along axes that have no step."""
        steps = steps_of(input)
        made = super().broadcast_impl_shape(input, shape)
        return with_steps(made, steps or (None if steps is None else (0,) * len(shape)))

    def add(self, input: Any, other: Any, *rest: Any, **named: Any) -> Any:
        """Add two blocks and their steps."""
        return with_steps(super().add(input, other, *rest, **named), _sum(input, other, 1))

    def sub(self, input: Any, other: Any, *rest: Any, **named: Any) -> Any:
        """Subtract a block and its steps."""
        return with_steps(super().sub(input, other, *rest, **named), _sum(input, other, -1))

    def mul(self, input: Any, other: Any, *rest: Any, **named: Any) -> Any:
        """Multiply a block and its steps by a scalar."""
        made = super().mul(input, other, *rest, **named)
        for block, factor in ((input, other), (other, input)):
            steps = steps_of(block)
            if steps and steps_of(factor) == ():
                number = core._unwrap_if_constexpr(factor)
                by = number if isinstance(number, int) else FAR
                return with_steps(made, tuple(max(-FAR, min(FAR, by * step)) for step in steps))
        return made

    def mod(self, input: Any, other: Any, *rest: Any, **named: Any) -> Any:
        """Take a remainder: the steps stay, but for where it begins anew."""
        return with_steps(super().mod(input, other, *rest, **named), steps_of(input) or None)

    def cast(self, input: Any, *rest: Any, **named: Any) -> Any:
        """Change a block's type."""
        return with_steps(super().cast(input, *rest, **named), steps_of(input) or None)


def _sum(one: Any, other: Any, sign: int) -> Steps | None:
    left, right = steps_of(one), steps_of(other)
    if left is None or right is None or (left and right and len(left) != len(right)):
        return None
    rank = max(len(left), len(right))
    pairs = zip(left or (0,) * rank, right or (0,) * rank, strict=True)
    return tuple(max(-FAR, min(FAR, a + sign * b)) for a, b in pairs) or None
