"""Addresses told as elements: which argument they lie in, and where in it.

Strides, storage offsets and overlapping views are honoured, as everywhere in the coverage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from playground.engine.counter_layout import Layout, TensorView

    Integers = np.ndarray[Any, np.dtype[np.int64]]

NOWHERE = -1
"""Stands for the element of an address that is none of the tensor's."""


@dataclass(frozen=True)
class ByteView:
    """A tensor argument by bytes: where it starts, and how far apart its elements lie."""

    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    element_size: int

    @property
    def end(self) -> int:
        """First address behind its last element."""
        steps = zip(self.shape, self.strides, strict=True)
        return self.start + sum((size - 1) * stride for size, stride in steps) + self.element_size

    def places(self, addresses: Integers) -> Integers:
        """Return the element that each address lies in, counted row by row; `NOWHERE` for none.

        An address that several indices share (overlapping windows, a broadcast dimension) is told
        as the first of them.
        """
        found = np.full(addresses.shape, NOWHERE, np.int64)
        inside = (addresses >= self.start) & (addresses < self.end)
        rest = addresses[inside] - self.start
        if rest.size:
            found[inside] = self._places(rest, self._moving_axes())
        return found

    def _moving_axes(self) -> list[tuple[int, int, int]]:
        """Return (stride, size, elements from one index to the next), widest stride first.

        Axes of one element, and those that show the same elements again, add nothing.
        """
        axes, step = [], 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size > 1 and stride > 0:
                axes.append((stride, size, step))
            step *= size
        return sorted(axes, key=lambda axis: (-axis[0], -axis[2]))

    def _places(self, rest: Integers, axes: list[tuple[int, int, int]]) -> Integers:
        if not axes:
            return np.where(rest < self.element_size, 0, NOWHERE)
        stride, size, step = axes[0]
        within = sum((others - 1) * by for by, others, _ in axes[1:]) + self.element_size - 1
        highest = np.minimum(rest // stride, size - 1)
        best = np.full(rest.shape, np.iinfo(np.int64).max)
        # One index fits as a rule. Where what lies within an index is longer than the way to the
        # next one, several may.
        for back in range(within // stride + 1):
            index = highest - back
            left = rest - index * stride
            tried = (index >= 0) & (left <= within)
            if not tried.any():
                continue
            inner = np.full(rest.shape, NOWHERE, np.int64)
            inner[tried] = self._places(left[tried], axes[1:])
            fits = inner != NOWHERE
            np.minimum(best, np.where(fits, index * step + inner, best), out=best)
        return np.where(best == np.iinfo(np.int64).max, NOWHERE, best)


def byte_views(layout: Layout) -> tuple[ByteView, ...]:
    """Return the tensors of a launch by bytes, in the layout's order."""
    return tuple(_byte_view(layout, view) for view in layout.tensors)


def _byte_view(layout: Layout, view: TensorView) -> ByteView:
    slot = layout.storages[view.storage]
    return ByteView(
        slot.start + (view.offset - slot.first) * slot.unit,
        view.shape,
        tuple(stride * slot.unit for stride in view.strides),
        view.element_size,
    )
