"""The steps of one program: each of its accesses in order, told as elements of the arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.elements import NOWHERE, byte_views
from playground.engine.job import Job
from playground.engine.recording import record
from playground.engine.replay_layout import layout_for
from playground.protocol.programs import ProgramSteps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.counter_layout import Layout
    from playground.engine.elements import ByteView
    from playground.engine.recording import Recording
    from playground.engine.replay import PreparedReplay
    from playground.model.access_site import AccessSite

    Integers = np.ndarray[Any, np.dtype[np.int64]]

BUDGET_BYTES = 64 << 20
"""Memory for the elements of one program; its first steps are told where they take more."""


def program_steps(
    prepared: PreparedReplay,
    program: int,
    sites: Sequence[AccessSite],
    job: Job | None = None,
    *,
    budget_bytes: int = BUDGET_BYTES,
) -> ProgramSteps:
    """Run the launch and return the accesses of one program, in its order.

    Parameters
    ----------
    prepared
        The launch under its config.
    program
        Linear program id.
    sites
        Those of the launch's coverage, which the steps name by number.

    Raises
    ------
    IndexError
        The grid has no such program.
    NotCountedError
        No tracing copy can be made of the kernel.
    """
    job = job or Job()
    recording = record(prepared, [program], job, budget_bytes=budget_bytes)
    job.check()
    tensors, accesses, offsets, elements = placed(recording, layout_for(prepared))
    numbers = site_numbers(recording, sites)
    return ProgramSteps(
        launch=prepared.launch.info.index,
        config=prepared.config,
        program=program,
        sites=numbers[recording.site[accesses]].astype(np.int32),
        tensors=tensors,
        offsets=offsets,
        elements=elements,
        truncated=recording.truncated,
    )


def site_numbers(recording: Recording, sites: Sequence[AccessSite]) -> Integers:
    """Return each recorded site's number among `sites`, -1 for one that is not there."""
    exact: dict[tuple[object, ...], int] = {}
    lines: dict[tuple[object, ...], int] = {}
    for number, site in enumerate(sites):
        exact.setdefault((site.kind, site.file, site.line, site.column), number)
        lines.setdefault((site.kind, site.file, site.line), number)
    return np.array(
        [exact.get(tuple(site), lines.get(tuple(site)[:3], -1)) for site in recording.sites] or [-1]
    )


def placed(
    recording: Recording, layout: Layout
) -> tuple[np.ndarray[Any, Any], Integers, Integers, Integers]:
    """Return (tensors, accesses, offsets, elements) of the steps that a recording's accesses are.

    An access is of the first tensor that holds all it touches. One that no tensor holds alone is a
    step for each of those that hold a part of it, named first first; what lies in a storage but in
    no tensor has no elements. An access of which the mask let nothing through is of the tensor that
    its site touches at other times, if that is one.

    Returns
    -------
    tensors : (steps,) int32
        Numbers in the layout, -1 for none.
    accesses : (steps,) int64
        Which of the recording's accesses each step is.
    offsets : (steps + 1,) int64
        Where its elements begin among `elements`.
    elements : int64
        Places in the tensor, counted row by row.
    """
    views = byte_views(layout)
    addresses = recording.addresses.astype(np.int64)
    count = len(recording)
    access = np.repeat(np.arange(count), np.diff(recording.offsets))
    sizes = recording.element_size.astype(np.int64)[access]
    which, elements = _choose(views, addresses, access, count)
    parts = _parts(views, which, sizes)
    if (parts > 1).any():
        # Elements smaller than what the kernel loads (an int32 of an int8 tensor): each is named.
        number = np.arange(int(parts.sum())) - np.repeat(np.cumsum(parts) - parts, parts)
        which, access = np.repeat(which, parts), np.repeat(access, parts)
        width = np.array([view.element_size for view in views] + [0])[which]
        addresses = np.repeat(addresses, parts) + number * width
        elements = _elements(views, addresses, which)
    order = np.lexsort((which, access))
    which, access, elements = which[order], access[order], elements[order]
    first = np.ones(len(which), np.bool_)
    first[1:] = (which[1:] != which[:-1]) | (access[1:] != access[:-1])
    touched = access[first]
    empty = np.setdiff1d(np.arange(count), touched)
    accesses = np.concatenate([touched, empty])
    tensors = np.concatenate([which[first], np.full(len(empty), NOWHERE)])
    lengths = np.concatenate([_lengths(first, elements), np.zeros(len(empty), np.int64)])
    steps = np.argsort(accesses, kind="stable")
    accesses, tensors, lengths = accesses[steps], tensors[steps], lengths[steps]
    _name_empty(tensors, accesses, lengths, recording)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return tensors.astype(np.int32), accesses, offsets, elements[elements != NOWHERE]


def _choose(
    views: Sequence[ByteView], addresses: Integers, access: Integers, count: int
) -> tuple[Integers, Integers]:
    """Return each lane's tensor and element: the tensor that has all of its access, or the first.

    What lies in no tensor has -1 for both.
    """
    which = np.full(len(addresses), NOWHERE, np.int64)
    elements = np.full(len(addresses), NOWHERE, np.int64)
    settled = np.zeros(count, np.bool_)
    lanes = np.bincount(access, minlength=count)
    for number, view in enumerate(views):
        places = view.places(addresses)
        held = places != NOWHERE
        whole = (np.bincount(access[held], minlength=count) == lanes) & ~settled
        taken = whole[access] | (held & (which == NOWHERE) & ~settled[access])
        which[taken], elements[taken] = number, places[taken]
        settled |= whole
    return which, elements


def _elements(views: Sequence[ByteView], addresses: Integers, which: Integers) -> Integers:
    elements = np.full(len(addresses), NOWHERE, np.int64)
    for number, view in enumerate(views):
        mine = which == number
        elements[mine] = view.places(addresses[mine])
    return elements


def _parts(views: Sequence[ByteView], which: Integers, sizes: Integers) -> Integers:
    """Return how many elements of its tensor each lane covers."""
    width = np.array([view.element_size for view in views] + [1 << 30])[which]
    parts: Integers = np.maximum(sizes // width, 1)
    return parts


def _lengths(first: np.ndarray[Any, np.dtype[np.bool_]], elements: Integers) -> Integers:
    starts = np.flatnonzero(first)
    if not starts.size:
        return np.zeros(0, np.int64)
    lengths: Integers = np.add.reduceat((elements != NOWHERE).astype(np.int64), starts)
    return lengths


def _name_empty(
    tensors: Integers, accesses: Integers, lengths: Integers, recording: Recording
) -> None:
    """Give the steps that touch nothing the tensor that their site touches otherwise."""
    sites = recording.site[accesses]
    for site in np.unique(sites[lengths == 0]):
        known = np.unique(tensors[(sites == site) & (lengths > 0)])
        if len(known) == 1:
            tensors[(sites == site) & (lengths == 0) & (tensors == NOWHERE)] = known[0]
