"""Who wrote an element, and on which line: from the counts of a launch, and its program's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.counter_layout import on_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.counters import Counts
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config

    Array = np.ndarray[Any, np.dtype[Any]]


def owners_of(counts: Counts, tensor: str, elements: Array) -> Array:
    """Return the last program to store each element (counted row by row), -1 for none."""
    view = counts.layout.tensor(tensor)
    last = on_tensor(counts.cells.storer_last, view)
    places = np.unravel_index(elements, view.shape) if view.shape else ()
    index = tuple(torch.from_numpy(np.ascontiguousarray(place)).to(last.device) for place in places)
    found = last[index] if index else last.reshape(1)
    return found.cpu().numpy().astype(np.int64) - 1


def written_by_many(counts: Counts, tensor: str) -> torch.Tensor | None:
    """Return where several programs write, in the tensor's shape; None where none does."""
    flags = counts.flags(tensor)
    return None if flags is None else (flags & 2) != 0


def counts_of(session: Session, launch: int, config: Config, job: Job) -> Counts | None:
    """Return the counts of a launch, made if need be; None where they cannot be had."""
    from playground.engine.findings import NotCountedError

    try:
        session.coverage(launch, config, job)
    except NotCountedError:
        return None
    return session.kept.counts.get((launch, config))


def store_place(
    session: Session, launch: int, config: Config, program: int, tensor: str, element: int,
    job: Job,
) -> tuple[str, int]:  # fmt: skip
    """Return file and line at which a program last stores an element; line 0 if it is unknown."""
    from playground.engine.findings import NotCountedError

    coverage = session.coverage(launch, config, job)
    numbers = [item.name for item in coverage.tensors]
    sites = [site for site in coverage.sites if site.kind != "load" and tensor in site.tensors]
    if len({(site.file, site.line) for site in sites}) == 1:
        return sites[0].file, sites[0].line
    try:
        steps = session.steps(launch, config, program, job)
    except NotCountedError:
        return "", 0
    found = "", 0
    for number, (site, held) in enumerate(zip(steps.sites, steps.tensors, strict=True)):
        if held < 0 or site < 0 or numbers[held] != tensor:
            continue
        if coverage.sites[site].kind == "load":
            continue
        piece = steps.elements[steps.offsets[number] : steps.offsets[number + 1]]
        if (piece == element).any():
            found = coverage.sites[site].file, coverage.sites[site].line
    return found


def spread(programs: int, most: int) -> Sequence[int]:
    """Return up to `most` programs, the first and the last among them, evenly spread."""
    if programs <= most:
        return range(programs)
    return (
        sorted({round(i * (programs - 1) / (most - 1)) for i in range(most)}) if most > 1 else [0]
    )
