"""Pictures of a few cells, drawn so that the first real one does not wait for the GPU's code.

CUDA loads a kernel when it is first needed, and each of those that draw takes milliseconds to load:
together they held up a process's first picture for more than a tenth of a second. They are loaded
while the first counting copy compiles, when the GPU has nothing to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import torch

from playground.engine.counter_layout import Layout, StorageSlot, TensorView
from playground.engine.counters import Cells, CountedRun, Counts
from playground.model.config import Config
from playground.protocol.messages import Paint, PlaneView

if TYPE_CHECKING:
    from collections.abc import Sequence

_COLUMNS = 6
_ROWS = 5
_LINE = 131
"""Elements in one dimension: as many rows of a folded plane as not to fill the last one."""

_warm: set[torch.device] = set()


def warm_up(device: torch.device) -> None:
    """Draw pictures of a matrix and a line on `device`, once in a process."""
    if device in _warm:
        return
    _warm.add(device)
    for shape in ((_ROWS, _COLUMNS), (_LINE,)):
        counts = _counts(shape, device)
        for paint in get_args(Paint):
            for most in (2, 1 << 10):
                counts.plane("x", paint, PlaneView(max_rows=most, max_columns=most))
        counts.element("x", 0, 0)


def _counts(shape: Sequence[int], device: torch.device) -> Counts:
    """Return counts of a tensor whose elements are stored once each, but for the last."""
    size = int(torch.Size(shape).numel())
    strides = torch.empty(tuple(shape), device="meta").stride()
    slot = StorageSlot(1 << 12, 4 * size, 4, False, 0, size, "x")
    view = TensorView("x", tuple(shape), tuple(strides), 0, 0, "fp32", 4)
    once = torch.ones(size, dtype=torch.int32, device=device)
    once[-1] = 0
    run = CountedRun(0, Config(()), (1, 1, 1), "gpu", {}, (), 0.0)
    return Counts(run, Layout((slot,), (view,), size), Cells(once, once, once, once))
