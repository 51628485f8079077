"""Whether a file whose text was changed still returns what it returned before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from playground.engine.checking import RELATIVE, pair_up

if TYPE_CHECKING:
    from playground.engine.session import Session

_ROOM = 32.0
"""So many rounding steps of the largest element: sums may run in another order."""


def differs(before: Session, after: Session) -> str:
    """Return how two runs of a driver differ in the tensors that it returned, empty if they agree.

    Files with a `reference` are judged by that instead, and say nothing here.
    """
    if before.outline.has_reference:
        return ""
    for pair in pair_up(after.result, before.result):
        got, want = pair.got, pair.want
        if got.shape != want.shape or got.dtype != want.dtype:
            return f"{pair.label} has another shape or type than before the change"
        if not want.numel():
            continue
        if not want.is_floating_point():
            if not torch.equal(got, want):
                return f"{pair.label} is not what it was before the change"
            continue
        largest = float(want.abs().max())
        limit = _ROOM * RELATIVE.get(want.dtype, 1e-5) * max(largest, 1e-30)
        if float((got.double() - want.double()).abs().max()) > limit:
            return f"{pair.label} is not what it was before the change"
    return ""
