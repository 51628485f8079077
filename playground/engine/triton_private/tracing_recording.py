"""Recording on the GPU: which programs a run keeps, and what it left read out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.recording import RawAccesses, RecordedSite, Recording, assembled
from playground.engine.triton_private.tracing_emit import (
    RECORD,
    RECORD_CURSOR,
    RECORD_EVENT_ROOM,
    RECORD_EVENTS,
    RECORD_LANE_ROOM,
    RECORD_LANES,
    RECORD_PROGRAMS,
)
from playground.engine.triton_private.tracing_record import (
    EVENT_WORDS,
    LANE_BITS,
    SITE_SHIFT,
    SIZE_SHIFT,
)
from playground.engine.triton_private.tracing_runs import BUDGET_SHARE, GpuRuns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay

_FIRST_LANES = 1 << 20
_FIRST_EVENTS = 1 << 14
_LANES_AN_EVENT = 16
"""The room for events grows with that for lanes: one for so many of them."""


class _Room:
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
        sites = [
            RecordedSite(site.kind, site.file, site.line, site.column)  # type: ignore[arg-type]
            for site in self.copy.sites
        ]
        return assembled(
            _joined(parts), recorded, sites, self.copy.shapes, self.layout, truncated=truncated
        )

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
            room = _Room(lanes, events, self.device)
            self._run_into(prepared, batch, room)
            asked_lanes, asked_events = room.asked()
            left = most_lanes - taken
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
                lanes, events = max(left, 1), events_left  # as much of it as there is room for
            else:
                parts.append(self._read(room, min(asked_events, events), cut=True))
                return parts, [*recorded, *batch], True
        return parts, recorded, False

    def _run_into(self, prepared: PreparedReplay, programs: Sequence[int], room: _Room) -> None:
        count = math.prod(prepared.grid)
        chosen = np.zeros(-(-count // 32) * 32 or 32, dtype=np.uint8)
        chosen[list(programs)] = 1
        bits = np.packbits(chosen, bitorder="little").view(np.int32)
        selection = torch.from_numpy(bits).to(self.device)
        given = {
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

    def _read(self, room: _Room, events: int, *, cut: bool = False) -> RawAccesses:
        words: Any = room.events[:events].cpu().numpy()
        if cut:
            words = words[words[:, 0] != -1]
        first_word, second_word = words[:, 0], words[:, 1]
        mask_16 = (1 << 16) - 1
        shape = (second_word >> LANE_BITS).astype(np.int64)
        sizes = np.array([math.prod(item) for item in self.copy.shapes] or [1], np.int64)
        place = second_word & ((1 << LANE_BITS) - 1)
        last = int((place + sizes[shape]).max()) if len(words) else 0
        return RawAccesses(
            program=first_word & ((1 << SITE_SHIFT) - 1),
            site=(first_word >> SITE_SHIFT) & mask_16,
            shape=shape,
            element_size=(first_word >> SIZE_SHIFT) & mask_16,
            lanes=sizes[shape],
            first=place,
            addresses=room.lanes[:last].cpu().numpy(),
        )


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
