"""What a launch leaves out of a tensor, reads more often than the rest, or touches beside it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from playground.engine.counter_layout import distinct_elements, first_shown, on_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.counter_layout import Layout, StorageSlot, TensorView
    from playground.engine.counters import Cells
    from playground.engine.storage_ranges import Direction, StorageRanges
    from playground.model.coverage import AccessCount

_SHORT_RUN = 1 / 8
"""Share of a tensor's elements up to which those loaded more often are a short run."""


def unread(cells: Cells, view: TensorView, loads: AccessCount) -> int | None:
    """Return how many elements no program loaded, None where none is loaded."""
    if not loads.maximum:
        return None
    if loads.minimum:
        return 0
    missing = distinct_elements(cells.loads, view) == 0
    once = first_shown(view, missing.device)
    return int(torch.count_nonzero(missing if once is None else missing & once))


def read_again(cells: Cells, view: TensorView, loads: AccessCount) -> tuple[int, int] | None:
    """Return the first and last of one short run of elements loaded more often than all others."""
    # Above the least: that many loads more, at most so many elements.
    counts = distinct_elements(cells.loads, view)
    if first_shown(view, counts.device) is not None:
        return None  # no place in windows that overlap is one element's alone
    more = loads.total - loads.minimum * counts.numel()
    if not loads.minimum or not 0 < more <= _SHORT_RUN * counts.numel():
        return None
    places = torch.nonzero(counts.reshape(-1) > loads.minimum)
    first, last = int(places[0]), int(places[-1])
    return (first, last) if last - first + 1 == len(places) else None


def beside(
    layout: Layout, cells: Cells, ranges: StorageRanges, view: TensorView
) -> tuple[int, int]:
    """Return the elements loaded and stored on a storage beside all views on it.

    They are told for the first of the views. Where their elements are of several sizes, nothing is:
    an element then covers cells behind its own.
    """
    slot = layout.storages[view.storage]
    views = [item for item in layout.tensors if item.storage == view.storage]
    if slot.mixed or view is not views[0] or _fills(views, slot):
        return 0, 0
    pairs: tuple[tuple[Direction, torch.Tensor], ...] = (
        ("load", cells.loads), ("store", cells.stores)
    )  # fmt: skip
    loaded, stored = (
        _left(vector, slot, views) if ranges.of(direction, view.storage).high else 0
        for direction, vector in pairs
    )
    return loaded, stored


def _left(vector: torch.Tensor, slot: StorageSlot, views: Sequence[TensorView]) -> int:
    left = vector[slot.first : slot.first + slot.cells].clone()
    for view in views:
        on_tensor(left, replace(view, offset=view.offset - slot.first)).zero_()
    return int(torch.count_nonzero(left))


def _fills(views: Sequence[TensorView], slot: StorageSlot) -> bool:
    """Tell whether one of the views has every element of its storage."""
    return any(
        math.prod(size for size, stride in zip(view.shape, view.strides, strict=True) if stride)
        >= slot.cells
        for view in views
    )
