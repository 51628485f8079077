"""Outlining a launch on the GPU: accesses are recorded there and only their outline comes back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch

from playground.engine.outline import MOST_ACCESSES
from playground.engine.triton_private.tracing_recording import GpuRecorder, Room
from playground.engine.triton_private.tracing_runs import BUDGET_SHARE

if TYPE_CHECKING:
    from playground.engine.job import Job
    from playground.engine.outline import OutlineBuilder
    from playground.engine.replay import PreparedReplay

LANES_A_RUN = 1 << 29
"""Lanes that one run records, at most: 4 GB of addresses."""
MOST_LANES = 1 << 34
_EVENTS_A_RUN = 1 << 20
_FEWEST_LANES = 1 << 16
_GATHERED_LANES = 1 << 24


class GpuOutliner(GpuRecorder):
    """Outlines all programs of one launch under one config on its GPU."""

    def outline_into(self, builder: OutlineBuilder, prepared: PreparedReplay, job: Job) -> int:
        """Hand the accesses of programs to `builder`, and return of how many programs.

        As many programs a run as fit the memory, in launch order, until all are done, the builder
        is full, or there are more accesses than one would wait for.
        """
        count = math.prod(prepared.grid)
        with torch.cuda.device(self.device):
            self._compile_beside(prepared.arguments, job, "record")
            # Looking at addresses takes several times their own room.
            most = int(BUDGET_SHARE * self._free_bytes()) // 16
            most = max(min(most, LANES_A_RUN), _FEWEST_LANES)
            lanes, events = self._asked(prepared, 1)
            done, seen = 0, 0
            while (
                done < count and seen < MOST_LANES and builder.accesses < MOST_ACCESSES
                and not builder.full
            ):  # fmt: skip
                job.progress("looking at the order of accesses", done / count)
                batch = min(most // lanes, _EVENTS_A_RUN // events, count - done)
                batch = max(batch, 1)
                room = Room(
                    min(lanes * batch, most), max(events * batch, 1), self.device
                )  # fmt: skip
                self._run_into(prepared, range(done, done + batch), room)
                asked_lanes, asked_events = room.asked()
                if asked_lanes > room.lanes.shape[0] or asked_events > room.events.shape[0]:
                    # Other programs have more accesses than the first one had.
                    lanes = max(lanes, -(-asked_lanes // batch))
                    events = max(events, -(-asked_events // batch))
                    if batch == 1 and (lanes > most or events > _EVENTS_A_RUN):
                        break
                    continue
                self._hand_on(builder, room, asked_events, seen)
                done, seen = done + batch, seen + asked_lanes
        return done

    def _asked(self, prepared: PreparedReplay, programs: int) -> tuple[int, int]:
        """Return how many lanes and accesses the first programs have, of each at least one."""
        room = Room(1, 1, self.device)
        self._run_into(prepared, range(programs), room)
        lanes, events = room.asked()
        return max(lanes, 1), max(events, 1)

    def _hand_on(self, builder: OutlineBuilder, room: Room, events: int, first: int) -> None:
        told = self._events(room, events)
        order = np.arange(events) + first
        for lanes in np.unique(told.lanes).tolist():
            chosen = np.flatnonzero(told.lanes == lanes)
            step = max(_GATHERED_LANES // lanes, 1)
            lane = torch.arange(lanes, device=self.device)
            for begin in range(0, len(chosen), step):
                part = chosen[begin : begin + step]
                places = torch.from_numpy(told.first[part]).to(self.device)
                addresses = room.lanes[places[:, None] + lane]
                builder.add(order[part], told.program[part], told.element_size[part], addresses)
