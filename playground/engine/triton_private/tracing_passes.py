"""Counting on the GPU: the runs of a tracing copy, and what is read out after each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import torch

from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.counters import Cells, CountedRun, Counts
from playground.engine.storage_ranges import StorageRanges
from playground.engine.triton_private.tracing_hazards import FoundHazards, GpuHazards
from playground.engine.triton_private.tracing_plan import (
    COUNT,
    COUNT_ACCESSES,
    COUNT_FLOPS,
    COUNT_LOADERS,
    COUNT_OPERATIONS,
    COUNT_OUTSIDE,
    COUNT_STORERS,
    LOADER_FIRST,
    LOADER_LAST,
    LOADING_ATOMICS,
    LOADS,
    SITE_CELLS,
    STORER_FIRST,
    STORER_LAST,
    STORES,
    STORING_ATOMICS,
    Site,
)
from playground.engine.triton_private.tracing_recording import GpuRecorder
from playground.engine.triton_private.tracing_runs import BUDGET_SHARE, GpuRuns
from playground.engine.triton_private.tracing_totals import TotalsRoom
from playground.model.coverage import FLOP_KINDS, OutOfBounds

if TYPE_CHECKING:
    from playground.engine.access_sites import Survey
    from playground.engine.counter_layout import Layout
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.triton_private.tracing_totals import AccessTotals

_WINDOW_MODES = COUNT | COUNT_STORERS | STORING_ATOMICS
_ONCE_MODES = COUNT_FLOPS | COUNT_ACCESSES | COUNT_OPERATIONS
"""What no window of cells bounds: counted with the first one."""

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


class GpuCounter(GpuRuns):
    """Counts one launch under one config on its GPU."""

    def __init__(
        self, layout: Layout, prepared: PreparedReplay, like: GpuRuns | None = None
    ) -> None:
        super().__init__(layout, prepared, like)
        self._clock = Stopwatch()

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
            self._flops.zero_()
            room = TotalsRoom(self.copy, self.device)
            if windows == 1:
                cells, elapsed_ms, lanes = self._count_at_once(prepared, room)
            else:
                cells, elapsed_ms, lanes = self._count_in_windows(prepared, job, window, room)
            flops = dict(zip(FLOP_KINDS, self._flops.sum(dim=1).tolist(), strict=True))
            totals = room.read()
            self._clock.lap("loads and stores")
            outside = self._find_outside(prepared, lanes)
            self._clock.lap("lanes outside")
            survey, found = None, FoundHazards()
            ranges = StorageRanges(self.layout, cells)
            self._clock.lap("totals")
            if not failure:
                survey = self._survey(prepared, job, lanes, totals, ranges)
                self._clock.lap("access sites")
                found = self._hazards(prepared, job, cells, survey, ranges)
            self._clock.lap("hazards")
        unseen = (f"access sites and hazards are not looked at: {failure}",) if failure else ()
        run = CountedRun(
            launch=prepared.launch.info.index,
            config=prepared.config,
            grid=prepared.grid,
            mode="gpu",
            flops=flops,
            out_of_bounds=outside,
            duration_ms=elapsed_ms,
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

    def _survey(
        self, prepared: PreparedReplay, job: Job, lanes: torch.Tensor, totals: AccessTotals,
        ranges: StorageRanges,
    ) -> Survey:  # fmt: skip
        """Return what each place in the source asks for; how it does so tells a run of its own."""
        # What no counter sees might still carry something from one program to another.
        apart = not ranges.loaded_and_stored() and not self.copy.plan.notes
        outside = [
            int(lanes[0 if site.kind == "load" else 1, number])
            for number, site in enumerate(self.copy.sites[:SITE_CELLS])
        ]
        recorder = GpuRecorder(self.layout, prepared, self)
        return recorder.survey(prepared, job, totals, outside, apart=apart)

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
        self, prepared: PreparedReplay, room: TotalsRoom
    ) -> tuple[Cells, float, torch.Tensor]:
        size = self.layout.cells
        words = (LOADS, STORES, STORER_LAST, STORER_FIRST)
        vectors = {word: self._vector(size) for word in words}
        elapsed_ms = self._count_run(
            prepared, _WINDOW_MODES | _ONCE_MODES, vectors, (0, max(size, 1)), more=room.given()
        )
        lanes = torch.stack([vectors[LOADS][:SITE_CELLS], vectors[STORES][:SITE_CELLS]]).cpu()
        cells = Cells(*(vectors[word][SITE_CELLS : SITE_CELLS + size] for word in words))
        return cells, elapsed_ms, lanes

    def _count_in_windows(
        self, prepared: PreparedReplay, job: Job, window: int, room: TotalsRoom
    ) -> tuple[Cells, float, torch.Tensor]:
        """Count piece by piece into the computer's own memory."""
        size = self.layout.cells
        words = (LOADS, STORES, STORER_LAST, STORER_FIRST)
        whole = {word: torch.zeros(size, dtype=torch.int32) for word in words}
        vectors = {word: self._vector(window) for word in words}
        elapsed_ms = 0.0
        lanes = torch.zeros((2, SITE_CELLS), dtype=torch.int32)
        for first in range(0, size, window):
            job.progress("counting loads and stores", first / size)
            for vector in vectors.values():
                vector.zero_()
            cells = min(window, size - first)
            mode = _WINDOW_MODES | (_ONCE_MODES if first == 0 else 0)
            elapsed_ms += self._count_run(
                prepared, mode, vectors, (first, cells), more=room.given()
            )
            for word, vector in vectors.items():
                whole[word][first : first + cells] = vector[SITE_CELLS : SITE_CELLS + cells].cpu()
            if first == 0:
                lanes = torch.stack(
                    [vectors[LOADS][:SITE_CELLS], vectors[STORES][:SITE_CELLS]]
                ).cpu()
        return Cells(*(whole[word] for word in words)), elapsed_ms, lanes

    # ------------------------------------------------------------ lanes outside every storage

    def _find_outside(
        self, prepared: PreparedReplay, lanes: torch.Tensor
    ) -> tuple[OutOfBounds, ...]:
        """Return a record per access site with lanes outside; only then are more runs needed."""
        sites = self.copy.sites
        hit = [
            (number, site, int(lanes[0 if site.kind == "load" else 1, number]))
            for number, site in enumerate(sites[:SITE_CELLS])
        ]
        hit = [item for item in hit if item[2]]
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

    def loaders(self, prepared: PreparedReplay) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Return the last and the first loader of all cells from one run; None where memory ends.

        They are as in `Cells`.
        """
        size = self.layout.cells
        with torch.cuda.device(self.device):
            if 2 * 4 * size > BUDGET_SHARE * self._free_bytes():
                return None
            vectors = {word: self._vector(size) for word in (LOADER_LAST, LOADER_FIRST)}
            self._count_run(prepared, COUNT_LOADERS | LOADING_ATOMICS, vectors, (0, max(size, 1)))
        last, first = (vector[SITE_CELLS : SITE_CELLS + size] for vector in vectors.values())
        return last, first

    def footprint(
        self, prepared: PreparedReplay, program: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (loads, stores) over all cells, of one program; no compile, one run."""
        size = self.layout.cells
        with torch.cuda.device(self.device):
            vectors = {word: self._vector(size) for word in (LOADS, STORES)}
            self._count_run(prepared, COUNT, vectors, (0, max(size, 1)), program)
        loads, stores = (vectors[word][SITE_CELLS : SITE_CELLS + size] for word in (LOADS, STORES))
        return loads, stores
