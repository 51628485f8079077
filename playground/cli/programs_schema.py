"""The parts of a coverage document that are about its programs."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from playground.cli.schema import Json
    from playground.model.coverage import Coverage
    from playground.protocol.programs import ProgramSteps, Scheduled

LISTED_PROGRAMS = 1 << 16
"""Programs up to which a document lists where and when each ran."""


def listed(scheduled: Scheduled) -> Json | None:
    """Return where and when each program ran; None where they are too many for a document."""
    if len(scheduled.start_ns) > LISTED_PROGRAMS:
        return None
    return {
        "multiprocessor": scheduled.multiprocessor.tolist(),
        "start_ns": scheduled.start_ns.tolist(),
        "end_ns": scheduled.end_ns.tolist(),
    }


def step_rows(steps: ProgramSteps, coverage: Coverage) -> list[Json]:
    """Return each step with its place in the source, its tensor and its elements as runs.

    A run is (first element, how many follow on from it), elements counted row by row.
    """
    rows: list[Json] = []
    for number, (site, tensor) in enumerate(
        zip(steps.sites.tolist(), steps.tensors.tolist(), strict=True)
    ):
        elements = steps.elements[steps.offsets[number] : steps.offsets[number + 1]]
        known = coverage.sites[site] if 0 <= site < len(coverage.sites) else None
        rows.append(
            {
                "kind": known.kind if known else None,
                "file": known.file if known else None,
                "line": known.line if known else None,
                "tensor": coverage.tensors[tensor].name if tensor >= 0 else None,
                "elements": len(elements),
                "runs": runs(elements),
            }
        )
    return rows


def runs(elements: np.ndarray) -> list[list[int]]:
    """Return elements, in their order, as runs of neighbours."""
    import numpy as np  # here: every start of the command line reads this file

    if not len(elements):
        return []
    breaks = np.flatnonzero(np.diff(elements) != 1) + 1
    edges = [0, *breaks.tolist(), len(elements)]
    return [[int(elements[first]), last - first] for first, last in itertools.pairwise(edges)]
