"""What each place in the source does in total, added up by the counting run itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch

from playground.engine.triton_private.tracing_plan import (
    EXECUTION_CELLS,
    LOADS,
    OFF_CELLS,
    OPERATIONS,
    SITE_CELLS,
    STORES,
)
from playground.engine.triton_private.tracing_record import TOTAL_CELLS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from playground.engine.triton_private.tracing import TracingCopy
    from playground.engine.triton_private.tracing_plan import BlockAccess, Plan

    Cells = np.ndarray[Any, np.dtype[np.uint32]]


@dataclass(frozen=True)
class AccessTotals:
    """Executions and lanes let through by the mask, by the number of the access.

    `outside` are the lanes outside every storage by the number of the site, `operations` those of
    reductions and scans by name.
    """

    accesses: list[tuple[int, int]] = field(default_factory=list)
    outside: list[int] = field(default_factory=list)
    operations: dict[str, int] = field(default_factory=dict)

    def active(self) -> int:
        """Return the lanes that the whole launch asks for."""
        return sum(lanes for _, lanes in self.accesses)


class TotalsRoom:
    """Where one run of a compiled copy adds up its totals: before the cells of its counters.

    Only the operations have memory of their own.
    """

    def __init__(self, copy: TracingCopy, device: torch.device) -> None:
        self._copy = copy
        names = copy.operations
        self._operations = torch.zeros(
            (max(len(names), 1), TOTAL_CELLS), dtype=torch.int64, device=device
        )

    def given(self) -> dict[int, int]:
        """Return the words of the table that say where the operations' is."""
        return {OPERATIONS: self._operations.data_ptr()}

    def read(self, vectors: Mapping[int, torch.Tensor]) -> AccessTotals:
        """Return what the run added up; `vectors` are its counters by their words of the table."""
        plan = self._copy.plan
        told = torch.stack([vectors[word][: plan.head_cells] for word in (LOADS, STORES)])
        loads, stores = told.cpu().numpy().view(np.uint32)
        names = self._copy.operations
        sums = self._operations.sum(dim=1).tolist() if names else []
        operations = dict(zip(names, sums, strict=False))
        return AccessTotals(
            [
                _executed(plan, access, stores if kind == "store" else loads)
                for access, kind in _kinds(self._copy)
            ],
            [
                int((loads if site.kind == "load" else stores)[number])
                for number, site in enumerate(self._copy.sites[:SITE_CELLS])
            ],
            {name: count for name, count in operations.items() if count},
        )


def _kinds(copy: TracingCopy) -> Sequence[tuple[BlockAccess, str]]:
    sites = copy.sites
    return [(access, sites[access.site].kind) for access in copy.accesses]


def _executed(plan: Plan, access: BlockAccess, head: Cells) -> tuple[int, int]:
    """Return how often an access was made, and the lanes that its mask let through."""

    def total(first: int, cells: int) -> int:
        return int(head[first : first + cells].sum(dtype=np.int64))

    executions = total(plan.execution_cell(access), EXECUTION_CELLS)
    off = total(plan.off_cell(access), OFF_CELLS) if access.masked else 0
    return executions, executions * access.lanes - off
