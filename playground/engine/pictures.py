"""What a picture of a counted launch is drawn from: its coverage, and the planes of its tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.plane import default_slices
from playground.protocol.messages import Covered, PlaneView

if TYPE_CHECKING:
    from playground.engine.counters import Counts
    from playground.model.coverage import TensorCoverage
    from playground.protocol.messages import Paint, Reply

PICTURE_CELLS = 1024
"""Cells of a plane along each side, at most."""
MOST_MAPS = 12
"""Tensors in one picture."""


def coverage_replies(counts: Counts) -> tuple[Reply, ...]:
    """Return the coverage and a plane for each tensor that the launch touches, in their order.

    Tensors that are stored to show who owns each element, the others how often it is loaded. Of a
    tensor of more than two dimensions it is the first plane.
    """
    coverage = counts.summary()
    touched = [item for item in coverage.tensors if item.loads.total or item.stores.total]
    planes = [
        counts.plane(
            item.name,
            _paint(item),
            PlaneView(
                slices=default_slices(item.shape),
                max_rows=PICTURE_CELLS,
                max_columns=PICTURE_CELLS,
            ),
        )
        for item in touched[:MOST_MAPS]
    ]
    return (Covered(0, coverage), *planes)


def _paint(tensor: TensorCoverage) -> Paint:
    return "owner" if tensor.stores.total else "loads"
