"""The least and the most count of each storage: what most questions about a launch need."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from playground.engine.counter_layout import ONE_CELL_BYTES, distinct_elements, first_shown
from playground.model.coverage import AccessCount

if TYPE_CHECKING:
    from typing import Literal

    from playground.engine.counter_layout import Layout, TensorView
    from playground.engine.counters import Cells

    Direction = Literal["load", "store"]


class Range(NamedTuple):
    """The least and the most that a storage's cells count."""

    low: int
    high: int


class StorageRanges:
    """The ranges of a launch's counters by "load" or "store" and the storage's number.

    Most launches touch all elements of a storage alike: their sums follow from the ranges, and
    nothing else has to go through the counters again.
    """

    def __init__(self, layout: Layout, cells: Cells) -> None:
        self._layout = layout
        self._cells: dict[Direction, torch.Tensor] = {"load": cells.loads, "store": cells.stores}
        keys: list[tuple[Direction, int]] = []
        figures: list[torch.Tensor] = []
        for number, slot in enumerate(layout.storages):
            for direction, vector in self._cells.items():
                if slot.cells:
                    piece = vector[slot.first : slot.first + slot.cells]
                    figures += torch.aminmax(piece)
                    keys.append((direction, number))
        told = torch.stack(figures).tolist() if figures else []
        self._ranges = {
            key: Range(told[2 * place], told[2 * place + 1]) for place, key in enumerate(keys)
        }

    def of(self, direction: Direction, storage: int) -> Range:
        """Return a storage's range; an empty one counts nothing."""
        return self._ranges.get((direction, storage), Range(0, 0))

    def loaded(self) -> set[int]:
        """Return the storages of which something is loaded."""
        return {
            number for (direction, number), found in self._ranges.items()
            if direction == "load" and found.high
        }  # fmt: skip

    def loaded_and_stored(self) -> set[int]:
        """Return the storages of which something is loaded and something is stored."""
        return {number for number in self.loaded() if self.of("store", number).high}

    def stored_again(self) -> bool:
        """Tell whether any element is stored more than once."""
        return any(
            direction == "store" and found.high > 1
            for (direction, _), found in self._ranges.items()
        )

    # ------------------------------------------------------------ sums

    def bytes_used(self) -> dict[tuple[str, int], tuple[int, int]]:
        """Return bytes requested and distinct bytes by "load" or "store" and storage number."""
        used: dict[tuple[str, int], tuple[int, int]] = {}
        for number, slot in enumerate(self._layout.storages):
            if slot.unit == ONE_CELL_BYTES:
                continue
            for direction, cells in self._cells.items():
                low, high = self.of(direction, number)
                if low == high:
                    asked, distinct = low * slot.cells, slot.cells if low else 0
                else:
                    piece = cells[slot.first : slot.first + slot.cells]
                    asked = _sum(piece)
                    distinct = slot.cells if low else int(torch.count_nonzero(piece))
                used[direction, number] = (slot.unit * asked, slot.unit * distinct)
        return used

    def access_count(self, direction: Direction, view: TensorView) -> AccessCount:
        """Return how often a tensor's elements are touched, each once however often it is shown.

        Several indices show one behind a broadcast axis, and where windows overlap.
        """
        seen = distinct_elements(self._cells[direction], view)
        if seen.numel() == 0:
            return AccessCount(0, 0, 0)
        low, high = self.of(direction, view.storage)
        if low != high:
            low, high = torch.stack(torch.aminmax(seen)).tolist()
        once = first_shown(view, seen.device)
        if once is not None:
            seen = seen[once]
        total = low * seen.numel() if low == high else _sum(seen)
        return AccessCount(total, low, high)


def _sum(cells: torch.Tensor) -> int:
    """Return the sum of int32 counters, in 64 bits."""
    if cells.device.type == "cpu":
        # Torch widens each element on its own here, and takes eight times as long.
        return int(cells.numpy().sum(dtype=np.int64))
    return int(cells.sum(dtype=torch.int64))
