"""Counting on the GPU: the runs of a tracing copy, and what is read out after each."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.counters import Cells, CountedRun, Counts
from playground.engine.job import Job
from playground.engine.storage_ranges import StorageRanges
from playground.engine.triton_private.tracing_hazards import FoundHazards, GpuHazards
from playground.engine.triton_private.tracing_plan import (
    COUNT,
    COUNT_OUTSIDE,
    LEAVE,
    LOADER_FIRST,
    LOADER_LAST,
    LOADING_MODES,
    LOADS,
    SITE_CELLS,
    STORER_FIRST,
    STORER_LAST,
    STORES,
    Site,
)
from playground.engine.triton_private.tracing_recording import GpuRecorder, Look
from playground.engine.triton_private.tracing_runs import BUDGET_SHARE, GpuRuns
from playground.engine.triton_private.tracing_totals import AccessTotals, TotalsRoom
from playground.model.coverage import FLOP_KINDS, OutOfBounds

if TYPE_CHECKING:
    from playground.engine.access_sites import Survey
    from playground.engine.counter_layout import Layout
    from playground.engine.replay import PreparedReplay

_WORDS = (LOADS, STORES, STORER_LAST, STORER_FIRST)
"""The counters of a count: their words of the table."""

_SELECTED_RUNS = 8  # out-of-bounds sites with distinct first programs looked at one by one
_LOW_BITS = (1 << 64) - 1


class Stopwatch:
    """Adds up what pieces of work take, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a piece of work, in milliseconds since the last one ended."""
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + (now - self._since) * 1e3
        self._since = now


@dataclass(frozen=True)
class _Counted:
    """What the counting runs have added up."""

    cells: Cells
    elapsed_ms: float
    totals: AccessTotals
    flops: dict[str, int]


class GpuCounter(GpuRuns):
    """Counts one launch under one config on its GPU."""

    def __init__(
        self, layout: Layout, prepared: PreparedReplay, like: GpuRuns | None = None
    ) -> None:
        super().__init__(layout, prepared, like)
        self._clock = Stopwatch()
        self._apart = False

    # ------------------------------------------------------------ a whole count

    def count(self, prepared: PreparedReplay, job: Job, budget_bytes: int | None) -> Counts:
        """Return the counts, in one run where the budget allows, else in windows of cells."""
        with torch.cuda.device(self.device):
            start = time.perf_counter()
            failure = self._compile_beside(prepared.arguments, job, "count", "record")
            compile_ms = (time.perf_counter() - start) * 1e3
            job.progress("counting loads and stores")
            self._clock = Stopwatch()
            if budget_bytes is None:
                budget_bytes = int(BUDGET_SHARE * self._free_bytes())
            window = max(1 << 16, budget_bytes // 16 // 1024 * 1024)
            windows = max(1, -(-self.layout.cells // window))
            look = None
            if not failure and windows == 1:
                look = GpuRecorder(self.layout, prepared, self).look(prepared, job)
                self._clock.lap("access sites")
            self._flops.zero_()
            room = TotalsRoom(self.copy, self.device)
            if windows == 1:
                counted = self._count_at_once(prepared, room, look)
            else:
                counted = self._count_in_windows(prepared, job, window, room)
            cells, totals = counted.cells, counted.totals
            self._clock.lap("loads and stores")
            outside = self._find_outside(prepared, totals)
            self._clock.lap("lanes outside")
            survey, found = None, FoundHazards()
            ranges = StorageRanges(self.layout, cells)
            # What no counter sees might still carry something from one program to another.
            self._apart = not ranges.loaded_and_stored() and not self.copy.plan.notes
            self._clock.lap("totals")
            if not failure:
                recorder = GpuRecorder(self.layout, prepared, self)
                survey = recorder.survey(prepared, job, totals, look, apart=self._apart)
                self._clock.lap("access sites")
                found = self._hazards(prepared, job, cells, survey, ranges)
            self._clock.lap("hazards")
        unseen = (f"access sites and hazards are not looked at: {failure}",) if failure else ()
        run = CountedRun(
            launch=prepared.launch.info.index,
            config=prepared.config,
            grid=prepared.grid,
            mode="gpu",
            flops=counted.flops,
            out_of_bounds=outside,
            duration_ms=counted.elapsed_ms,
            compile_ms=compile_ms,
            resolution=(
                "every element" if windows == 1 else f"every element, counted in {windows} runs"
            ),
            notes=(*self.copy.plan.notes, *unseen, *found.notes),
            atomics=any(site.kind == "atomic" for site in self.copy.sites),
            survey=survey,
            num_warps=int(prepared.options.get("num_warps") or 4),
            hazards=found.hazards,
            values_compared=found.compared,
            parts_ms=tuple(self._clock.laps.items()),
        )
        cells.disputed = found.disputed
        return Counts(run, self.layout, cells, self, ranges)

    def _hazards(
        self, prepared: PreparedReplay, job: Job, cells: Cells, survey: Survey,
        ranges: StorageRanges,
    ) -> FoundHazards:  # fmt: skip
        if cells.stores.device.type != "cuda":
            return FoundHazards(
                notes=("hazards between programs are not looked for: the counters do not fit",)
            )
        return GpuHazards(self.layout, prepared, self).find(prepared, job, cells, survey, ranges)

    def _count_at_once(
        self, prepared: PreparedReplay, room: TotalsRoom, look: Look | None
    ) -> _Counted:
        """Count in one run; while the GPU does, work out what the look at access sites tells."""
        size = self.layout.cells
        vectors = {word: self._vector(size) for word in _WORDS}
        run = self._count_run(prepared, 0, vectors, variant="count", more=room.given())
        if look is not None:
            look.work_out(int(prepared.options.get("num_warps") or 4))
        elapsed_ms = run.wait()
        cells = Cells(*(self._cells(vectors[word], size) for word in _WORDS))
        return _Counted(cells, elapsed_ms, room.read(vectors), self._read_flops())

    def _count_in_windows(
        self, prepared: PreparedReplay, job: Job, window: int, room: TotalsRoom
    ) -> _Counted:
        """Count piece by piece into the computer's own memory."""
        self._compile_beside(prepared.arguments, job, "windows")
        size = self.layout.cells
        whole = {word: torch.zeros(size, dtype=torch.int32) for word in _WORDS}
        vectors = {word: self._vector(window) for word in _WORDS}
        elapsed_ms = 0.0
        totals, flops = AccessTotals(), dict.fromkeys(FLOP_KINDS, 0)
        for first in range(0, size, window):
            job.progress("counting loads and stores", first / size)
            for vector in vectors.values():
                vector.zero_()
            cells = min(window, size - first)
            elapsed_ms += self._count_run(
                prepared, 0, vectors, (first, cells), variant="windows", more=room.given()
            ).wait()
            for word, vector in vectors.items():
                whole[word][first : first + cells] = self._cells(vector, cells).cpu()
            if first == 0:  # what no window bounds is counted by each run
                totals, flops = room.read(vectors), self._read_flops()
        return _Counted(Cells(*(whole[word] for word in _WORDS)), elapsed_ms, totals, flops)

    def _read_flops(self) -> dict[str, int]:
        return dict(zip(FLOP_KINDS, self._flops.sum(dim=1).tolist(), strict=True))

    # ------------------------------------------------------------ lanes outside every storage

    def _find_outside(
        self, prepared: PreparedReplay, totals: AccessTotals
    ) -> tuple[OutOfBounds, ...]:
        """Return a record per access site with lanes outside; only then are more runs needed."""
        sites = zip(self.copy.sites, totals.outside, strict=False)
        hit = [(number, site, lanes) for number, (site, lanes) in enumerate(sites) if lanes]
        if not hit:
            return ()
        self.copy.compile(prepared.arguments, "outside")
        found = self._look_outside(prepared, -1)
        firsts = {number: PROGRAM_LIMIT - found[number][0] for number, _, _ in hit}
        details = {number: found[number] for number, _, _ in hit}
        for program in sorted(set(firsts.values()))[:_SELECTED_RUNS]:
            only = self._look_outside(prepared, program)
            details.update(
                {number: only[number] for number, first in firsts.items() if first == program}
            )
        return tuple(
            self._record(site, firsts[number], count, details[number])
            for number, site, count in hit
        )

    def _look_outside(self, prepared: PreparedReplay, selected: int) -> list[list[int]]:
        self._outside.zero_()
        self._run(prepared, COUNT_OUTSIDE, {}, selected=selected, variant="outside")
        rows: list[list[int]] = self._outside.view(SITE_CELLS, 3).tolist()
        return rows

    def _record(self, site: Site, program: int, lanes: int, row: list[int]) -> OutOfBounds:
        high, low = row[1] & _LOW_BITS, ~row[2] & _LOW_BITS
        found = [self.layout.nearest(address, self._size_near(address)) for address in (low, high)]
        tensor, distance = min(found, key=lambda item: abs(item[1]))
        return OutOfBounds(
            tensor, site.kind, program, distance, lanes, site.line, site.file
        )  # fmt: skip

    def _size_near(self, address: int) -> int:
        """Return the element size of the storage nearest to an address."""
        slots = [slot for slot in self.layout.storages if slot.unit < 1 << 16]
        if not slots:
            return 1
        return min(slots, key=lambda slot: max(slot.start - address, address - slot.end)).unit

    # ------------------------------------------------------------ on request

    def loaders(
        self, prepared: PreparedReplay, job: Job
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Return the last and the first loader of all cells from one run; None where memory ends.

        They are as in `Cells`.
        """
        size = self.layout.cells
        with torch.cuda.device(self.device):
            if 2 * 4 * size > BUDGET_SHARE * self._free_bytes():
                return None
            self._compile_beside(prepared.arguments, job, "chosen")
            vectors = {word: self._vector(size) for word in (LOADER_LAST, LOADER_FIRST)}
            self._count_run(prepared, LOADING_MODES, vectors).wait()
        last, first = (self._cells(vector, size) for vector in vectors.values())
        return last, first

    def footprint(
        self, prepared: PreparedReplay, program: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (loads, stores) over all cells, of one program, from one run.

        Where no program reads what another one stores, the others end at once.
        """
        size = self.layout.cells
        with torch.cuda.device(self.device):
            vectors = {word: self._vector(size) for word in (LOADS, STORES)}
            self._compile_beside(prepared.arguments, Job(), "chosen")
            leave = {LEAVE: int(self._apart)}
            self._count_run(prepared, COUNT, vectors, selected=program, more=leave).wait()
        loads, stores = (self._cells(vectors[word], size) for word in (LOADS, STORES))
        return loads, stores
