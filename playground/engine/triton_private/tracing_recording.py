"""Recording on the GPU: which programs a run keeps, and what it left read out."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from playground.engine.access_sites import (
    LOOKED_AT_LANES,
    LOOKED_AT_WHOLE_LANES,
    SMALLEST_LANES,
    SiteTotals,
    Survey,
    looks_of,
    sample_of,
)
from playground.engine.recording import RawAccesses, RecordedSite, Recording, assembled
from playground.engine.triton_private.tracing_plan import (
    LEAVE,
    RECORD,
    RECORD_CURSOR,
    RECORD_EVENT_ROOM,
    RECORD_EVENTS,
    RECORD_LANE_ROOM,
    RECORD_LANES,
    RECORD_LIMITS,
    RECORD_PROGRAMS,
    RECORD_TAKEN,
)
from playground.engine.triton_private.tracing_record import (
    ACCESS_SHIFT,
    EVENT_WORDS,
    LANE_BITS,
)
from playground.engine.triton_private.tracing_runs import BUDGET_SHARE, GpuRuns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playground.engine.access_sites import SiteLook
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.triton_private.tracing_plan import BlockAccess
    from playground.engine.triton_private.tracing_totals import AccessTotals

    Integers = np.ndarray[Any, np.dtype[Any]]

_FIRST_LANES = 1 << 20
_FIRST_EVENTS = 1 << 14
_LANES_AN_EVENT = 16
"""The room for events grows with that for lanes: one for so many of them."""


class Room:
    """Device memory for one run's accesses."""

    def __init__(self, lanes: int, events: int, device: torch.device) -> None:
        self.lanes = torch.empty(lanes, dtype=torch.int64, device=device)
        self.events = torch.empty((events, EVENT_WORDS), dtype=torch.int64, device=device)
        self.cursor = torch.zeros(1, dtype=torch.int64, device=device)

    def asked(self) -> tuple[int, int]:
        """Return how many lanes and events the last run had, whether they fitted or not."""
        held = int(self.cursor.item())
        return held & ((1 << LANE_BITS) - 1), held >> LANE_BITS


class GpuRecorder(GpuRuns):
    """Records programs of one launch under one config on its GPU."""

    def record(
        self, prepared: PreparedReplay, programs: Sequence[int], job: Job, budget_bytes: int
    ) -> Recording:
        """Return the accesses of `programs` (ascending), in as many runs as the memory asks for."""
        with torch.cuda.device(self.device):
            self._compile_beside(prepared.arguments, job, "record")
            job.progress("recording accesses")
            free_lanes = int(BUDGET_SHARE * self._free_bytes()) // (8 + 1)
            most_lanes = max(1 << 12, min(budget_bytes // 8, free_lanes))
            parts, recorded, truncated = self._runs(prepared, list(programs), job, most_lanes)
        return self._assembled(parts, recorded, truncated=truncated)

    def _sites(self) -> list[RecordedSite]:
        return [
            RecordedSite(site.kind, site.file, site.line, site.column) for site in self.copy.sites
        ]

    def _assembled(
        self, parts: Sequence[RawAccesses], programs: Sequence[int], *, truncated: bool
    ) -> Recording:
        return assembled(
            _joined(parts), programs, self._sites(), list(self._shapes()), self.layout,
            truncated=truncated,
        )  # fmt: skip

    def _shapes(self) -> dict[tuple[int, ...], int]:
        """Return the numbers of the blocks' shapes."""
        shapes = dict.fromkeys(access.shape for access in self.copy.accesses)
        return {shape: number for number, shape in enumerate(shapes)}

    # ------------------------------------------------------------ what every place does

    def look(self, prepared: PreparedReplay, job: Job) -> Look | None:
        """Look at how places ask before it is known what for, None where that would be in vain.

        What is done with it can then be worked out while the GPU counts.
        """
        programs = math.prod(prepared.grid)
        # A small launch is looked at as a whole, which is known when it is counted: most accesses
        # are made by all programs.
        lanes = programs * sum(_lanes_looked_at(access) for access in self.copy.accesses)
        if lanes <= LOOKED_AT_WHOLE_LANES or not self.copy.never_waits:
            return None
        with torch.cuda.device(self.device):
            job.progress("looking at access sites")
            chosen = sample_of(programs)
            room, events = self._look(prepared, chosen, apart=True)
            return Look(self, self._read(room, events), chosen)

    def survey(
        self, prepared: PreparedReplay, job: Job, totals: AccessTotals, look: Look | None, *,
        apart: bool,
    ) -> Survey:  # fmt: skip
        """Return each place's exact totals with a look at how it asks.

        Parameters
        ----------
        totals
            What the counting run added up. A launch that asks for little is looked at as a whole.
        look
            One taken before, as if `apart` were known.
        apart
            No program reads what one stores, so a program does the same without the others: those
            that are not looked at need not run.
        """
        programs = math.prod(prepared.grid)
        seen = None
        with torch.cuda.device(self.device):
            self._compile_beside(prepared.arguments, job, "record")
            job.progress("looking at access sites")
            asked = sum(
                executions * _lanes_looked_at(access)
                for access, (executions, _) in zip(self.copy.accesses, totals.accesses, strict=True)
            )
            small = max(asked, programs) <= LOOKED_AT_WHOLE_LANES
            if small:
                chosen = list(range(programs))
                room = Room(4 * LOOKED_AT_WHOLE_LANES, LOOKED_AT_WHOLE_LANES // 4, self.device)
                self._run_into(prepared, chosen, room)
                lanes, events = room.asked()
                small = lanes <= room.lanes.numel() and events <= room.events.shape[0]
            if small or look is None or not apart:
                if not small:
                    chosen = sample_of(programs)
                    room, events = self._look(prepared, chosen, apart=apart)
                raw = self._read(room, events)
                recording = self._assembled([raw], chosen, truncated=not small)
            else:
                recording, seen = look.recording, look.seen
        return Survey(self._totals_by_site(totals), recording, totals.operations, seen)

    def _totals_by_site(self, totals: AccessTotals) -> dict[RecordedSite, SiteTotals]:
        by_site: dict[RecordedSite, SiteTotals] = {}
        sites = self._sites()
        for access, (executions, lanes_on) in zip(self.copy.accesses, totals.accesses, strict=True):
            lost = totals.outside[access.site] if access.site < len(totals.outside) else 0
            total = by_site.setdefault(sites[access.site], SiteTotals())
            # Those outside are known for a site as a whole: taken off once.
            outside = 0 if total.lanes else lost
            total.add(executions * access.lanes, lanes_on, outside, access.size)
        return by_site

    def _look(
        self, prepared: PreparedReplay, chosen: Sequence[int], *, apart: bool
    ) -> tuple[Room, int]:
        """Record the first executions of each access by the chosen programs."""
        limits = self._limits()
        accesses = len(limits)
        sizes = [math.prod(access.shape) for access in self.copy.accesses]
        lanes = sum(limit * size for limit, size in zip(limits, sizes, strict=True))
        room = Room(max(lanes, 1), max(sum(limits), 1), self.device)
        taken = torch.tensor([*limits, *([0] * accesses), 0], dtype=torch.int32).to(self.device)
        given = {
            RECORD_LIMITS: taken.data_ptr(),
            RECORD_TAKEN: taken.data_ptr() + 4 * accesses,
            LEAVE: int(apart),
        }
        self._run_into(prepared, chosen, room, given)
        return room, room.asked()[1]

    def _limits(self) -> list[int]:
        """Return how many executions of each access are looked at: at least one."""
        accesses = self.copy.accesses
        lanes_each = LOOKED_AT_LANES // max(len(accesses), 1)
        return [max(1, lanes_each // _lanes_looked_at(access)) for access in accesses]

    def _runs(
        self, prepared: PreparedReplay, programs: list[int], job: Job, most_lanes: int
    ) -> tuple[list[RawAccesses], list[int], bool]:
        """Run until all programs are recorded or `most_lanes` are: (parts, programs, whether cut).

        A run that overflows tells how much room it would have taken: it is repeated with that, or
        with so many programs fewer.
        """
        parts: list[RawAccesses] = []
        recorded: list[int] = []
        taken = 0
        batch = programs
        lanes, events = min(_FIRST_LANES, most_lanes), _FIRST_EVENTS
        while len(recorded) < len(programs):
            job.check()
            left = most_lanes - taken
            if left <= 0:
                return parts, recorded, True
            lanes = min(lanes, left)
            room = Room(lanes, events, self.device)
            self._run_into(prepared, batch, room)
            asked_lanes, asked_events = room.asked()
            if asked_lanes <= lanes and asked_events <= events:
                parts.append(self._read(room, asked_events))
                taken += asked_lanes
                recorded += batch
                batch = programs[len(recorded) :]
                continue
            events_left = max(_FIRST_EVENTS, left // _LANES_AN_EVENT)
            if asked_lanes <= left and asked_events <= events_left:
                lanes, events = max(asked_lanes, lanes), max(asked_events, events)
            elif len(batch) > 1:
                share = min(left / asked_lanes, events_left / asked_events)
                batch = batch[: max(1, int(len(batch) * share * 0.9))]
            elif lanes < left or events < events_left:
                lanes, events = left, events_left  # as much of it as there is room for
            else:
                parts.append(self._read(room, min(asked_events, events), cut=True))
                return parts, [*recorded, *batch], True
        return parts, recorded, False

    def _run_into(
        self, prepared: PreparedReplay, programs: Sequence[int], room: Room,
        more: Mapping[int, int] | None = None,
    ) -> None:  # fmt: skip
        count = math.prod(prepared.grid)
        chosen = np.zeros(-(-count // 32) * 32 or 32, dtype=np.uint8)
        chosen[list(programs)] = 1
        bits = np.packbits(chosen, bitorder="little").view(np.int32)
        selection = torch.from_numpy(bits).to(self.device)
        given = {
            **(more or {}),
            RECORD_PROGRAMS: selection.data_ptr(),
            RECORD_CURSOR: room.cursor.data_ptr(),
            RECORD_EVENTS: room.events.data_ptr(),
            RECORD_EVENT_ROOM: room.events.shape[0],
            RECORD_LANES: room.lanes.data_ptr(),
            RECORD_LANE_ROOM: room.lanes.shape[0],
        }
        room.cursor.zero_()
        # What did not fit leaves its words alone: they tell of no access.
        room.events.fill_(-1)
        self._run(prepared, RECORD, given, variant="record")

    def _read(self, room: Room, events: int, *, cut: bool = False) -> RawAccesses:
        told = self._events(room, events, cut=cut)
        last = int((told.first + told.lanes).max()) if len(told.first) else 0
        return RawAccesses(*told, addresses=room.lanes[:last].cpu().numpy())

    def _events(self, room: Room, events: int, *, cut: bool = False) -> Events:
        """Return the first events that a run left; with `cut` some of them did not fit."""
        words: Any = room.events[:events].cpu().numpy()
        if cut:
            words = words[words[:, 0] != -1]
        accesses = self.copy.accesses
        numbers = self._shapes()
        facts = np.array(
            [
                (access.site, numbers[access.shape], access.size, math.prod(access.shape))
                for access in accesses
            ],
            np.int64,
        ).reshape(-1, 4)
        site, shape, size, lanes = facts[words[:, 0] >> ACCESS_SHIFT].T
        return Events(
            program=words[:, 0] & ((1 << ACCESS_SHIFT) - 1),
            site=site,
            shape=shape,
            element_size=size,
            lanes=lanes,
            first=words[:, 1],
        )


def _lanes_looked_at(access: BlockAccess) -> int:
    return max(access.lanes, SMALLEST_LANES)


class Look:
    """A look at a sample of programs, and what it tells of access sites once that is worked out."""

    def __init__(self, recorder: GpuRecorder, raw: RawAccesses, chosen: Sequence[int]) -> None:
        self._recorder, self._raw, self._chosen = recorder, raw, chosen
        self._layout = recorder.layout
        self.seen: dict[RecordedSite, SiteLook] | None = None

    @functools.cached_property
    def recording(self) -> Recording:
        """The accesses looked at."""
        return self._recorder._assembled([self._raw], self._chosen, truncated=True)

    def work_out(self, num_warps: int) -> None:
        """Work out what the accesses tell of their places."""
        self.seen = looks_of(self.recording, self._layout, num_warps)


class Events(NamedTuple):
    """The events of a run as columns of int64; what they are is said at `RawAccesses`."""

    program: Integers
    site: Integers
    shape: Integers
    element_size: Integers
    lanes: Integers
    first: Integers


def _joined(parts: Sequence[RawAccesses]) -> RawAccesses:
    """Return the accesses of several runs as one."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.addresses) for part in parts)])
    empty = np.zeros(0, np.int64)

    def all_of(name: str) -> Any:
        return np.concatenate([empty, *(getattr(part, name) for part in parts)])

    moved = [part.first + start for part, start in zip(parts, starts, strict=False)]
    return RawAccesses(
        all_of("program"), all_of("site"), all_of("shape"), all_of("element_size"),
        all_of("lanes"), np.concatenate([empty, *moved]), all_of("addresses"),
    )  # fmt: skip
