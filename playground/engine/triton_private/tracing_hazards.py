"""Hazards looked for on the GPU: who touches what by which means, then the marked cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from playground.engine.hazards import (
    MOST_RANKS,
    RANK_SHIFT,
    WRITES,
    Extremes,
    MarkedRun,
    Touchers,
    hazards_of,
    marks_of,
    uninitialised_cells,
)
from playground.engine.recording import RecordedSite
from playground.engine.triton_private.tracing_plan import (
    COUNT_LOADERS,
    COUNT_STORERS,
    LOADER_FIRST,
    LOADER_LAST,
    LOOK_AT_MARKED,
    MARKED_SITES,
    MARKS,
    SITE_CELLS,
    STORER_FIRST,
    STORER_LAST,
    STORING_ATOMICS,
    UNWRITTEN_FIRST,
    VALUE_HIGH,
    VALUE_LOW,
    WRITTEN,
)
from playground.engine.triton_private.tracing_runs import BUDGET_SHARE, GpuRuns

if TYPE_CHECKING:
    from playground.engine.access_sites import Survey
    from playground.engine.counters import Cells
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.storage_ranges import StorageRanges
    from playground.model.hazard import Hazard

_EVERY_BIT = -1  # the highest unsigned value, as int64


@dataclass(frozen=True)
class FoundHazards:
    """The hazards of a launch; `disputed` marks cells in which programs stored different values.

    `compared` says whether values were compared wherever several programs stored.
    """

    hazards: tuple[Hazard, ...] = ()
    disputed: torch.Tensor | None = None
    compared: bool = False
    notes: tuple[str, ...] = ()


class GpuHazards(GpuRuns):
    """Looks for hazards of a counted launch, by further runs where its counts ask for them."""

    def find(
        self, prepared: PreparedReplay, job: Job, cells: Cells, survey: Survey,
        ranges: StorageRanges,
    ) -> FoundHazards:  # fmt: skip
        """Return the hazards; most launches have no element that could have one, and run no more.

        Parameters
        ----------
        cells
            The counters of the whole launch, on the GPU.
        survey
            Tells which tensors a site touches.
        ranges
            Of these counters.
        """
        # Programs can only meet where something is stored twice, or loaded and stored; and what
        # is never loaded may hold anything.
        loaded = ranges.loaded()
        held = [
            item for item in prepared.uninitialised()
            if any(self.layout.storages[number].start == item[0] for number in loaded)
        ]  # fmt: skip
        if not held and not ranges.loaded_and_stored() and not ranges.stored_again():
            return FoundHazards(compared=True)
        size = self.layout.cells
        # At most seven vectors of counters are needed at once.
        if 7 * 4 * size > BUDGET_SHARE * 2 * self._free_bytes():
            return FoundHazards(
                notes=("hazards between programs are not looked for: memory is short",)
            )
        job.check()
        touchers = self._touchers(prepared, job, cells)
        fresh = uninitialised_cells(self.layout, held, self.device)
        marks = marks_of(touchers, cells.loads, fresh)
        if marks is None:
            return FoundHazards(compared=True)
        failure = self._compile_beside(prepared.arguments, job, "count", "marked")
        if failure:
            return FoundHazards(notes=(f"hazards between programs are not told: {failure}",))
        job.progress("looking at elements that several programs touch")
        run = self._look(prepared, marks)
        disputed = None
        notes: tuple[str, ...] = ()
        if run.differ is not None:
            disputed = run.differ[marks >> RANK_SHIFT] & ((marks & WRITES) != 0)
            if bool(((marks & WRITES != 0) & (marks < 1 << RANK_SHIFT)).any()):
                notes = (
                    f"values were compared in the first {MOST_RANKS} elements that several "
                    "programs write; the others are taken for different",
                )
        hazards = hazards_of(self.layout, touchers, marks, run, survey, disputed, cells.stores)
        return FoundHazards(hazards, disputed, compared=True, notes=notes)

    # ------------------------------------------------------------ who touches what

    def _touchers(self, prepared: PreparedReplay, job: Job, cells: Cells) -> Touchers:
        stores = Extremes(cells.storer_last, cells.storer_first)
        atomics = None
        if any(site.kind == "atomic" for site in self.copy.sites):
            self._compile_beside(prepared.arguments, job, "chosen")
            atomics = self._extremes(prepared, STORING_ATOMICS, STORER_LAST, STORER_FIRST)
            stores = self._extremes(prepared, COUNT_STORERS, STORER_LAST, STORER_FIRST)
            # An atomic counts as a load and a store. Where no more loads are than stores, and no
            # store is a plain one, all of them are atomics'.
            plain = (cells.loads != cells.stores) | stores.any()
            met = (cells.loads > 0) & (cells.stores > 0) & plain
        else:
            met = (cells.loads > 0) & (cells.stores > 0)
        loads = None
        if bool(met.any()):
            self._compile_beside(prepared.arguments, job, "chosen")
            loads = self._extremes(prepared, COUNT_LOADERS, LOADER_LAST, LOADER_FIRST)
        return Touchers(stores, loads, atomics)

    def _extremes(self, prepared: PreparedReplay, mode: int, last: int, first: int) -> Extremes:
        size = self.layout.cells
        vectors = {word: self._vector(size) for word in (last, first)}
        self._count_run(prepared, mode, vectors).wait()
        return Extremes(*(self._cells(vectors[word], size) for word in (last, first)))

    # ------------------------------------------------------------ the marked cells

    def _look(self, prepared: PreparedReplay, marks: torch.Tensor) -> MarkedRun:
        size = self.layout.cells
        vectors = {word: self._vector(size) for word in (MARKS, WRITTEN, UNWRITTEN_FIRST)}
        self._cells(vectors[MARKS], size)[:] = marks
        sites = torch.zeros(SITE_CELLS, dtype=torch.int32, device=self.device)
        ranks = int((marks >> RANK_SHIFT).max()) + 1
        high = torch.zeros(ranks, dtype=torch.int64, device=self.device)
        low = torch.full((ranks,), _EVERY_BIT, dtype=torch.int64, device=self.device)
        given = {
            **{word: vector.data_ptr() for word, vector in vectors.items()},
            MARKED_SITES: sites.data_ptr(),
            VALUE_HIGH: high.data_ptr(),
            VALUE_LOW: low.data_ptr(),
        }
        self._run(prepared, LOOK_AT_MARKED, given, variant="marked")
        differ = high != low
        differ[0] = True  # what has no rank was not compared
        named = [
            RecordedSite(site.kind, site.file, site.line, site.column) for site in self.copy.sites
        ]
        return MarkedRun(
            site_bits=sites.tolist()[: len(named)],
            unwritten_first=self._cells(vectors[UNWRITTEN_FIRST], size),
            differ=differ if ranks > 1 else None,
            sites=named,
        )
