"""The accesses of all programs in outline: which cache lines each touches, said in a few numbers.

A launch makes far more accesses than there is memory for their addresses, but few different ones:
tiles of one shape at many places. So an access is kept as its lowest line and the number of its
shape, and the lines of each shape once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from playground.engine.findings import NotCountedError
from playground.engine.replay_layout import layout_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.counter_layout import Layout
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay

    Integers = np.ndarray[Any, np.dtype[Any]]

LINE_BYTES = 128
"""What is looked at as one: a line of the L2 of NVIDIA's GPUs and of AMD's MI300."""
_LINE_SHIFT = 7

MOST_ACCESSES = 1 << 22
"""Accesses in one outline: following a cache over more takes longer than anybody waits."""

SHAPE_LANES = 1 << 25
"""Lanes whose addresses are looked at to learn shapes: where each access has its own, it ends."""

_BEHIND = 1 << 62
_MIX = (0x9E3779B97F4A7C15 - (1 << 64), 0x2545F4914F6CDD1D)
_LANES_AT_ONCE = 1 << 24


class Runs(NamedTuple):
    """Lines of one shape: neighbours together, counted from the access's lowest line."""

    starts: Integers
    lengths: Integers


@dataclass(frozen=True, eq=False)
class Outline:
    """Every access of `programs` programs, program after program, each in its own order.

    Access i is made by `program[i]` and asks for `requested_bytes[i]`. It touches the lines
    `line[i] + r` with r in the runs of `shapes[shape[i]]`; lines count from address 0, moved so
    that each storage begins on one. `least[i]` is the lowest address touched, -1 where nothing is.
    """

    program: Integers
    line: Integers
    shape: Integers
    least: Integers
    requested_bytes: Integers
    shapes: tuple[Runs, ...]
    programs: int

    def __len__(self) -> int:
        return len(self.program)


class OutlineBuilder:
    """Takes accesses with all their addresses, a few at a time, and keeps their outline.

    Parameters
    ----------
    layout
        The storages of the launch; what lies in none of them is not touched.
    device
        Where the addresses come from and are looked at.
    """

    def __init__(
        self, layout: Layout, device: torch.device, shape_lanes: int = SHAPE_LANES
    ) -> None:
        slots = sorted(layout.storages, key=lambda slot: slot.start)
        self._starts = torch.tensor([slot.start for slot in slots], device=device)
        self._ends = torch.tensor([slot.end for slot in slots], device=device)
        self._shapes: list[Runs] = [Runs(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        self._numbers: dict[int, int] = {}
        self._known: dict[tuple[bytes, bytes], int] = {(b"", b""): 0}
        self._lanes_left = shape_lanes
        self._columns: list[tuple[Integers, ...]] = []
        self._unknown: int | None = None
        self.accesses = 0

    @property
    def full(self) -> bool:
        """Whether there were too many shapes to know them all: later programs are left out."""
        return self._unknown is not None

    def stop_before(self, program: int) -> None:
        """Leave a program and those after it out: not all of their accesses were taken."""
        self._unknown = program if self._unknown is None else min(self._unknown, program)

    def add(
        self, order: Integers, program: Integers, element_size: Integers, addresses: torch.Tensor
    ) -> None:
        """Take accesses of blocks of one size.

        Parameters
        ----------
        order, program, element_size : (accesses,) integers
            `order` ascends along a program's accesses.
        addresses : (accesses, lanes) int64
            -1 for lanes that the mask switched off.
        """
        lanes = max(addresses.shape[1], 1)
        step = max(_LANES_AT_ONCE // lanes, 1)
        for first in range(0, len(order), step):
            part = slice(first, first + step)
            self._add(order[part], program[part], element_size[part], addresses[part])

    def _add(
        self, order: Integers, program: Integers, element_size: Integers, addresses: torch.Tensor
    ) -> None:
        sizes = torch.from_numpy(element_size.astype(np.int64)).to(addresses.device)
        touched, lines = self._lines(addresses, sizes[:, None])
        least = torch.where(touched, addresses, _BEHIND).amin(dim=1)
        line = torch.where(touched, lines, _BEHIND).amin(dim=1)
        away = lines - line[:, None]
        mixed = (away + 1) * _MIX[0]
        mixed = (mixed ^ (mixed >> 31)) * _MIX[1]
        digest = torch.where(touched, mixed ^ (mixed >> 29), 0).sum(dim=1)
        count = touched.sum(dim=1)
        figures = torch.stack([least, line, digest ^ (count * _MIX[1]), count]).cpu().numpy()
        least_addresses, lowest, keys, counts = figures
        empty = counts == 0
        shape = self._shape_numbers(keys, empty, lambda row: away[row][touched[row]])
        lost = program[shape == -1]
        if lost.size:
            self.stop_before(int(lost.min()))
        self._keep(
            order, program, np.where(empty, 0, lowest), shape,
            np.where(empty, -1, least_addresses), counts * element_size,
        )  # fmt: skip

    def _keep(self, *columns: Integers) -> None:
        self._columns.append(columns)
        self.accesses += len(columns[0])

    def _lines(
        self, addresses: torch.Tensor, sizes: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return which lanes lie in a storage with all their bytes, and each one's line.

        A storage begins on a line, as it does on a GPU: on the CPU torch aligns it to less.
        """
        if not len(self._starts):
            return torch.zeros_like(addresses, dtype=torch.bool), addresses
        slot = (torch.bucketize(addresses, self._starts, right=True) - 1).clamp(min=0)
        starts = self._starts[slot]
        inside = (addresses >= starts) & (addresses + sizes <= self._ends[slot])
        return inside, (addresses - starts % LINE_BYTES) >> _LINE_SHIFT

    def _shape_numbers(
        self, keys: Integers, empty: Integers, lines_of: Callable[[int], torch.Tensor]
    ) -> Integers:
        """Return each access's shape by its key; -1 where it is new and there is no more room."""
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.zeros(len(unique), np.int32)
        keys_by_place = unique.tolist()
        for place in np.argsort(first).tolist():
            key, row = keys_by_place[place], int(first[place])
            if empty[row]:
                continue
            if key not in self._numbers and self._lanes_left > 0:
                lines = lines_of(row)
                self._lanes_left -= len(lines)
                self._numbers[key] = self._number(torch.unique(lines).cpu().numpy())
            numbers[place] = self._numbers.get(key, -1)
        shapes: Integers = numbers[inverse]
        return shapes

    def _number(self, lines: Integers) -> int:
        """Return the number of the shape that ascending lines are."""
        runs = runs_of(lines)
        key = (runs.starts.tobytes(), runs.lengths.tobytes())
        if key not in self._known:
            self._known[key] = len(self._shapes)
            self._shapes.append(runs)
        return self._known[key]

    def add_alike(
        self, order: int, program: Integers, least: Integers, lanes: Integers, element_size: int,
        times: int = 1,
    ) -> Integers:  # fmt: skip
        """Take accesses that differ by where they begin, and return which of them were taken.

        Those that do not lie in one storage as a whole are not.

        Parameters
        ----------
        order
            As in `add`, the same for all.
        program, least : (accesses,) integers
            Whose each is, and the lowest address it touches.
        lanes : (touched lanes,) integers
            How far each lane lies above the lowest one. Each stands for `times` lanes.
        """
        starts, ends = self._starts.cpu().numpy(), self._ends.cpu().numpy()
        taken = np.zeros(len(program), np.bool_)
        if len(starts):
            slot = np.searchsorted(starts, least, side="right") - 1
            taken = (slot >= 0) & (least + int(lanes.max()) + element_size <= ends[slot])
        program, least = program[taken], least[taken]
        if not len(program):
            return taken
        moved = least - starts[slot[taken]] % LINE_BYTES
        shape = np.zeros(len(program), np.int32)
        for into_line in np.unique(moved % LINE_BYTES).tolist():
            lines = np.unique((np.unique(lanes) + into_line) >> _LINE_SHIFT)
            shape[moved % LINE_BYTES == into_line] = self._number(lines)
        requested = np.full(len(program), len(lanes) * times * element_size)
        self._keep(
            np.full(len(program), order), program, moved >> _LINE_SHIFT, shape, least, requested
        )
        return taken

    def add_empty(self, order: int, program: Integers) -> None:
        """Take accesses that touch nothing."""
        zero = np.zeros(len(program), np.int64)
        self._keep(zero + order, program, zero, zero, zero - 1, zero)

    def outline(self, programs: int) -> Outline:
        """Return what was taken of the first `programs` programs, or of fewer where it was full."""
        if self._unknown is not None:
            programs = min(programs, self._unknown)
        empty = [np.zeros(0, np.int64)] * 6
        order, program, line, shape, least, requested = (
            np.concatenate(column) for column in zip(empty, *self._columns, strict=True)
        )
        place = np.lexsort((order, program))
        place = place[program[place] < programs]
        return Outline(
            program[place], line[place], shape[place], least[place], requested[place],
            tuple(self._shapes), programs,
        )  # fmt: skip


def outlined(prepared: PreparedReplay, job: Job) -> Outline:
    """Run a launch and return its accesses in outline, of fewer programs where they are too many.

    The working copies of `prepared` are restored before each run and hold the launch's result
    afterwards.

    Raises
    ------
    NotCountedError
        The kernel is of a kind that no tracing copy can be made of.
    """
    from playground.engine.triton_private import wrappers

    if wrappers.is_gluon(prepared.launch.function):
        raise NotCountedError(
            f"{prepared.launch.info.kernel} is written in Gluon: its accesses are not recorded"
        )
    job.progress("looking at the order of accesses")
    layout = layout_for(prepared)
    if wrappers.is_interpreted(prepared.launch.function):
        from playground.engine.triton_private.tracing_interpreter import InterpreterCounter

        return InterpreterCounter(layout).outline(prepared, job)
    from playground.engine.triton_private.tracing_outline import GpuOutliner

    outliner = GpuOutliner(layout, prepared)
    builder = OutlineBuilder(layout, outliner.device)
    return builder.outline(outliner.outline_into(builder, prepared, job))


def runs_of(lines: Integers) -> Runs:
    """Return ascending, distinct lines as runs of neighbours."""
    breaks = np.flatnonzero(np.diff(lines) != 1) + 1
    starts = np.concatenate([lines[:1], lines[breaks]])
    ends = np.concatenate([lines[breaks - 1], lines[-1:]]) + 1
    return Runs(starts, ends - starts)
