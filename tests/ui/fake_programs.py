"""What a scripted engine says of the programs of its launch, by arithmetic on the vector add."""

from __future__ import annotations

import numpy as np

from playground.model.access_site import AccessSite
from playground.model.config import Config
from playground.model.hazard import Hazard, HazardPlace
from playground.model.schedule import CacheReuse, Schedule
from playground.protocol import messages

SMS, RESIDENT, EACH_NS = 132, 2, 1000
"""The scripted GPU: two programs at a time on each multiprocessor, a microsecond each."""
SITE_LINES = {"x_ptr": 22, "y_ptr": 23, "out_ptr": 24}
WARP_BYTES = 32 * 4


class FakePrograms:
    """Answers about schedules, steps and reuse; sites and hazards for its coverage."""

    def grid_of(self, config: Config) -> tuple[int, int, int]:
        block = int(config["BLOCK_SIZE"] or 1)
        return (-(-self.elements_of() // block), 1, 1)

    def elements_of(self) -> int:
        return self._elements(self._launches[0])  # type: ignore[attr-defined]

    def sites(self, config: Config) -> tuple[AccessSite, ...]:
        """Perfectly coalesced: every request of 32 lanes touches 4 sectors, the fewest it can."""
        elements, programs = self.elements_of(), self.grid_of(config)[0]
        lanes = programs * int(config["BLOCK_SIZE"] or 1)
        requests = -(-elements // 32)
        return tuple(
            AccessSite(
                "store" if name == "out_ptr" else "load", line, "", (name,), lanes, elements,
                4 * elements, 4 * elements, 4 * elements, requests, 4 * requests, 4 * requests,
                programs, programs,
            )
            for name, line in SITE_LINES.items()
        )  # fmt: skip

    def race(self) -> Hazard:
        """A hazard that the vector add does not have, for views to show."""
        place = HazardPlace("store", 24, "")
        return Hazard("writes differ", "out_ptr", 7, (1030,), (1, 2), (place,))

    def _answer_getschedule(self, request: messages.GetSchedule) -> list[messages.Reply]:
        grid = self.grid_of(request.config)
        programs = grid[0] * grid[1] * grid[2]
        ids = np.arange(programs)
        # Round by round: all SMs take RESIDENT programs, in turns.
        sm = (ids % SMS).astype(np.int32)
        wave = ids // (SMS * RESIDENT)
        start = wave * EACH_NS
        # Within a wave later programs start later, by a nanosecond: their order is known.
        start = start + ids % (SMS * RESIDENT)
        end = start + EACH_NS - SMS * RESIDENT
        duration = int(end.max())
        figures = Schedule(
            request.launch, request.config, grid, SMS, min(programs, SMS), duration,
            EACH_NS - SMS * RESIDENT, EACH_NS - SMS * RESIDENT, EACH_NS - SMS * RESIDENT,
            RESIDENT, 16, programs / (SMS * RESIDENT), 400, 0.25, 32,
        )  # fmt: skip
        return [messages.Scheduled(figures, sm, start.astype(np.int64), end.astype(np.int64))]

    def _answer_getsteps(self, request: messages.GetSteps) -> list[messages.Reply]:
        block, elements = int(request.config["BLOCK_SIZE"] or 1), self.elements_of()
        first = request.program * block
        mine = np.arange(first, min(first + block, elements), dtype=np.int64)
        return [
            messages.ProgramSteps(
                request.launch, request.config, request.program,
                np.arange(3, dtype=np.int32), np.arange(3, dtype=np.int32),
                np.arange(4, dtype=np.int64) * len(mine), np.tile(mine, 3),
            )
        ]  # fmt: skip

    def _answer_savecounts(self, request: messages.SaveCounts) -> list[messages.Reply]:
        """Write the loads of every tensor, or tell why that cannot be."""
        try:
            arrays = {
                name: self.counters(request.config, name)["loads"]  # type: ignore[attr-defined]
                for name in SITE_LINES
            }
            np.savez(request.path, **arrays)
        except OSError as error:
            return [messages.CountsSaved(request.path, error.strerror or str(error))]
        return [messages.CountsSaved(request.path)]

    def _answer_getreuse(self, request: messages.GetReuse) -> list[messages.Reply]:
        each = 4 * self.elements_of()
        tensors = tuple((name, each, each) for name in SITE_LINES)
        reuse = CacheReuse(
            request.launch, request.config, "launch order, 264 at a time", 60 << 20, "H200",
            3 * each, 3 * each, 3 * each, tensors,
        )  # fmt: skip
        return [messages.Reused(reuse)]
