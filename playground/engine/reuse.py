"""What a GPU's L2 would fetch for a launch, estimated from the order of its accesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.elements import NOWHERE, byte_views
from playground.engine.findings import NotCountedError
from playground.engine.lru import atoms_of, in_turns, missed_lines
from playground.engine.outline import LINE_BYTES
from playground.model.schedule import CacheReuse
from playground.model.targets import facts_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.counter_layout import Layout
    from playground.engine.outline import Outline
    from playground.model.compiling import CompileReport
    from playground.model.config import Config
    from playground.model.device import DeviceInfo

    Integers = np.ndarray[Any, np.dtype[Any]]

OTHER_MEMORY = "other memory"
"""What is reached through addresses only, and is no tensor argument."""


@dataclass(frozen=True)
class CacheModel:
    """The cache that is followed, and how many programs use it at once.

    `name` says whose it is, `per_multiprocessor` programs run at once on each of
    `multiprocessors`.
    """

    name: str
    cache_bytes: int
    multiprocessors: int
    per_multiprocessor: int

    @property
    def at_once(self) -> int:
        """Programs that run at the same time."""
        return self.multiprocessors * self.per_multiprocessor

    def order_text(self, programs: int) -> str:
        """Return in which order a grid's programs are taken, for people."""
        if programs < 2:
            return "one program, access by access" if programs else "no programs"
        if programs <= self.at_once:
            return f"all {programs:,} programs at a time, access by access"
        held = f"{self.per_multiprocessor} on each of {self.multiprocessors} multiprocessors"
        some = "one program" if self.at_once == 1 else f"{self.at_once:,} programs"
        return f"launch order, {some} at a time ({held}), access by access"


def cache_of(
    target: str, device: DeviceInfo, report: CompileReport | None
) -> tuple[CacheModel, tuple[str, ...]]:
    """Return the cache of a target's GPU, and what had to be assumed.

    Raises
    ------
    LookupError
        Nothing is known of such a GPU.
    """
    here = device.mode == "gpu" and target == device.target
    gpu = facts_for(target, device.name if here else "")
    cache_bytes = gpu.l2_bytes if gpu else 0
    multiprocessors = gpu.multiprocessors if gpu else 0
    if here:
        cache_bytes = device.l2_bytes or cache_bytes
        multiprocessors = device.multiprocessors or multiprocessors
    if not cache_bytes or not multiprocessors:
        raise LookupError(f"the size of the L2 of {target} is not known: name another target")
    held = report.occupancy.programs_per_sm if report and report.occupancy else 0
    notes = () if held else (
        "how many programs fit on a multiprocessor is not known: one is assumed",
    )  # fmt: skip
    name = device.name if here else gpu.name if gpu else target
    return CacheModel(f"the L2 of {name}", cache_bytes, multiprocessors, max(held, 1)), notes


def cache_reuse(
    outline: Outline,
    layout: Layout,
    cache: CacheModel,
    *,
    launch: int,
    config: Config,
    programs: int,
    notes: tuple[str, ...] = (),
    look: Callable[[float], None] | None = None,
) -> CacheReuse:
    """Follow an LRU cache of lines over the accesses, programs taking turns.

    Lines are of 128 bytes: that is how the L2 is tagged, and what a warp's request of neighbouring
    words touches. A line that is stored counts as one that is loaded, because it has to be written
    back. The hardware's own policy is not known, and its L2 is in two halves: it fetches rather
    more than this.

    Parameters
    ----------
    outline
        The accesses, of the first programs if not of all.
    programs
        Programs of the grid.
    look
        Called now and then with the share that is done.

    Raises
    ------
    NotCountedError
        There is not even one program's accesses.
    """
    if programs and not outline.programs:
        raise NotCountedError(
            "one program alone makes more accesses, or more different ones, than can be followed"
        )
    atoms = atoms_of(outline)
    order = in_turns(outline.program, outline.programs, cache.at_once)
    fetched = missed_lines(atoms, order, cache.cache_bytes // LINE_BYTES, look) * LINE_BYTES
    told = list(notes)
    if outline.programs < programs:
        told.append(
            f"of the first {outline.programs:,} of {programs:,} programs only: there is no room "
            "for the accesses of all"
        )
    if atoms.grain > 1:
        told.append(f"lines were taken {atoms.grain} at a time: there are too many to follow each")
    return CacheReuse(
        launch=launch,
        config=config,
        order=cache.order_text(programs),
        cache_bytes=cache.cache_bytes,
        cache_of=cache.name,
        requested_bytes=int(outline.requested_bytes.sum()),
        least_bytes=atoms.distinct_lines * LINE_BYTES,
        fetched_bytes=int(fetched.sum()),
        per_tensor=_per_tensor(outline, layout, fetched),
        notes=tuple(told),
    )


def _per_tensor(
    outline: Outline, layout: Layout, fetched: Integers
) -> tuple[tuple[str, int, int], ...]:
    """Return (name, requested, fetched): an access is of the first tensor with its lowest byte."""
    which = np.full(len(outline), NOWHERE)
    for number, view in enumerate(byte_views(layout)):
        held = view.places(outline.least) != NOWHERE
        which[held & (which == NOWHERE)] = number
    # An access that touches nothing has no tensor, and no bytes.
    which = np.where(which == NOWHERE, len(layout.tensors), which)
    names = [*(view.name for view in layout.tensors), OTHER_MEMORY]
    requested = np.bincount(which, weights=outline.requested_bytes, minlength=len(names))
    brought = np.bincount(which, weights=fetched, minlength=len(names))
    return tuple(
        (name, int(asked), int(came))
        for name, asked, came in zip(names, requested, brought, strict=True)
        if asked or came
    )
