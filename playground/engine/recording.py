"""The accesses of chosen programs, one by one and in order: what analyses of order look at.

Counters tell what a whole launch touches; a recording tells how a few of its programs do it, with
every address. On a GPU a variant of the tracing copy keeps them in device memory, without one the
interpreter tells of them; both give the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from playground.engine.findings import NotCountedError
from playground.engine.job import Job
from playground.engine.replay_layout import layout_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.counter_layout import Layout
    from playground.engine.replay import PreparedReplay
    from playground.model.access_site import AccessKind

    Integers = np.ndarray[tuple[int], np.dtype[np.signedinteger]]

RECORDING_BYTES = 256 << 20
"""Memory for the addresses of one recording, unless its caller says otherwise."""


class RecordedSite(NamedTuple):
    """A place in the source that touches memory; columns count from 0."""

    kind: AccessKind
    file: str
    line: int
    column: int


@dataclass(frozen=True, eq=False)
class Recording:
    """Accesses of some programs of a launch: program after program, each in its own order.

    Access i is made by `program[i]` at `sites[site[i]]`, on a block of `lanes[i]` elements of
    `element_size[i]` bytes whose shape is `shapes[shape[i]]` (empty for a scalar). The lanes that
    its mask let through and that lie in one of the launch's storages are those with
    `addresses[offsets[i]:offsets[i + 1]]` (the caller's address space); `lane`, beside `addresses`,
    is their number in the block, counted with the last axis fastest. `outside[i]` further lanes
    were let through and lie in no storage: they were not touched.

    Attributes
    ----------
    programs
        The linear ids of the programs recorded, ascending. Fewer than asked for only where
        `truncated`.
    program, site, shape, element_size, lanes, outside
        int32, one an access.
    offsets
        int64, one more than accesses.
    addresses
        uint64, ascending lanes within an access.
    lane
        int32, one an address.
    truncated
        Memory ended first: the last of `programs` has only its first accesses, or programs are
        missing.
    """

    programs: tuple[int, ...]
    sites: tuple[RecordedSite, ...]
    shapes: tuple[tuple[int, ...], ...]
    program: Integers
    site: Integers
    shape: Integers
    element_size: Integers
    lanes: Integers
    outside: Integers
    offsets: Integers
    addresses: np.ndarray[tuple[int], np.dtype[np.uint64]]
    lane: Integers
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.program)

    def of_program(self, program: int) -> range:
        """Return the numbers of a program's accesses, in their order; empty where it has none."""
        first, last = np.searchsorted(self.program, [program, program + 1])
        return range(int(first), int(last))

    def active_bytes(self) -> int:
        """Return the bytes that all accesses ask for, lanes outside left out."""
        return int(np.sum(np.diff(self.offsets) * self.element_size))


def record(
    prepared: PreparedReplay, programs: Sequence[int], job: Job | None = None, *,
    budget_bytes: int = RECORDING_BYTES,
) -> Recording:  # fmt: skip
    """Run a launch and return the accesses of some of its programs.

    The working copies of `prepared` are restored before each run and hold the launch's result
    afterwards. On a GPU the first recording of a kernel compiles for it.

    Parameters
    ----------
    prepared
        The launch under its config.
    programs
        Linear program ids, the grid's first dimension running fastest; any order, no matter how
        often each is named.
    job
        Progress and cancelling.
    budget_bytes
        Memory for addresses. What does not fit into one run is recorded in several; a single
        program that does not fit is cut (`Recording.truncated`).

    Raises
    ------
    IndexError
        The grid has no such program.
    NotCountedError
        The kernel is of a kind that no tracing copy can be made of.
    """
    from playground.engine.triton_private import wrappers

    if wrappers.is_gluon(prepared.launch.function):
        raise NotCountedError(
            f"{prepared.launch.info.kernel} is written in Gluon: its accesses are not recorded"
        )
    wanted = sorted({int(program) for program in programs})
    count = prepared.grid[0] * prepared.grid[1] * prepared.grid[2]
    if wanted and not 0 <= wanted[0] <= wanted[-1] < count:
        bad = wanted[0] if wanted[0] < 0 else wanted[-1]
        raise IndexError(f"the grid has programs 0 to {count - 1}, not {bad}")
    job = job or Job()
    job.progress("recording accesses")
    layout = layout_for(prepared)
    if wrappers.is_interpreted(prepared.launch.function):
        from playground.engine.triton_private.tracing_interpreter import InterpreterCounter

        return InterpreterCounter(layout).record(prepared, wanted, job, budget_bytes)
    from playground.engine.triton_private.tracing_recording import GpuRecorder

    return GpuRecorder(layout, prepared).record(prepared, wanted, job, budget_bytes)


@dataclass(frozen=True)
class RawAccesses:
    """Accesses as a run leaves them, in any order of programs but each program's own in order.

    `first` and `lanes` cut `addresses`, which holds every lane's address as int64 and -1 for one
    that the mask switched off; the other fields are as in `Recording`.
    """

    program: Integers
    site: Integers
    shape: Integers
    element_size: Integers
    lanes: Integers
    first: Integers
    addresses: Integers


def assembled(
    raw: RawAccesses, programs: Sequence[int], sites: Sequence[RecordedSite],
    shapes: Sequence[tuple[int, ...]], layout: Layout, *, truncated: bool = False,
) -> Recording:  # fmt: skip
    """Return a recording from what a run left: sorted by program, switched-off lanes dropped."""
    order = np.argsort(raw.program, kind="stable")
    lanes = raw.lanes[order].astype(np.int64)
    ends = np.cumsum(lanes)
    access = np.repeat(np.arange(len(order)), lanes)
    # Each lane's number in its block, and from it its place in what the run left.
    lane = np.arange(len(access)) - (ends - lanes)[access]
    addresses = raw.addresses[raw.first[order].astype(np.int64)[access] + lane]
    size = raw.element_size[order].astype(np.int64)
    active = addresses != -1
    inside = active & _in_a_storage(addresses, size[access], layout)
    count = len(order)
    kept = np.bincount(access[inside], minlength=count)
    lost = np.bincount(access[active & ~inside], minlength=count)
    return Recording(
        programs=tuple(programs),
        sites=tuple(sites),
        shapes=tuple(shapes),
        program=raw.program[order].astype(np.int32),
        site=raw.site[order].astype(np.int32),
        shape=raw.shape[order].astype(np.int32),
        element_size=size.astype(np.int32),
        lanes=lanes.astype(np.int32),
        outside=lost.astype(np.int32),
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)]),
        addresses=addresses[inside].astype(np.uint64),
        lane=lane[inside].astype(np.int32),
        truncated=truncated,
    )


def _in_a_storage(
    addresses: Integers, sizes: Integers, layout: Layout
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which lanes lie, with all their bytes, in one of the launch's storages."""
    slots = sorted(layout.storages, key=lambda slot: slot.start)
    if not slots:
        return np.zeros(addresses.shape, np.bool_)
    starts = np.array([slot.start for slot in slots], np.int64)
    ends = np.array([slot.end for slot in slots], np.int64)
    slot = np.searchsorted(starts, addresses, side="right") - 1
    return (slot >= 0) & (addresses + sizes <= ends[np.maximum(slot, 0)])
