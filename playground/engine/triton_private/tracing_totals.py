"""What each place in the source does in total, added up by the counting run itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from playground.engine.triton_private.tracing_plan import ACCESSES, OPERATIONS
from playground.engine.triton_private.tracing_record import TOTAL_CELLS, TOTALS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.triton_private.tracing import TracingCopy
    from playground.engine.triton_private.tracing_plan import BlockAccess


@dataclass(frozen=True)
class AccessTotals:
    """Executions and lanes let through by the mask, by the number of the access.

    `operations` are those of reductions and scans, by name.
    """

    accesses: list[tuple[int, int]] = field(default_factory=list)
    operations: dict[str, int] = field(default_factory=dict)

    def active(self, accesses: Sequence[BlockAccess]) -> int:
        """Return the lanes that the whole launch asks for."""
        return sum(
            lanes_on if access.masked else executions * math.prod(access.shape)
            for access, (executions, lanes_on) in zip(accesses, self.accesses, strict=True)
        )


class TotalsRoom:
    """Device memory for the totals of one run of a compiled copy."""

    def __init__(self, copy: TracingCopy, device: torch.device) -> None:
        self._accesses = len(copy.accesses)
        self._operations = copy.operations
        rows = TOTALS * self._accesses + len(self._operations) + 1
        self._cells = torch.zeros((rows, TOTAL_CELLS), dtype=torch.int64, device=device)

    def given(self) -> dict[int, int]:
        """Return the words of the table that say where it is."""
        start = self._cells.data_ptr()
        return {ACCESSES: start, OPERATIONS: start + 8 * TOTAL_CELLS * TOTALS * self._accesses}

    def read(self) -> AccessTotals:
        """Return what the run added up."""
        sums = self._cells.sum(dim=1).tolist()
        rows = [(sums[TOTALS * n], sums[TOTALS * n + 1]) for n in range(self._accesses)]
        operations = dict(zip(self._operations, sums[TOTALS * self._accesses :], strict=False))
        return AccessTotals(rows, {name: count for name, count in operations.items() if count})
