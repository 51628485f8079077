"""Counting in Triton's interpreter: an observer that adds up every access."""

from __future__ import annotations

import contextlib
import math
import tempfile
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.access_sites import sample_of
from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.counters import Cells, CountedRun, Counts
from playground.engine.hazards import (
    Extremes,
    Touchers,
    hazards_of,
    marks_of,
    uninitialised_cells,
)
from playground.engine.outline import OutlineBuilder
from playground.engine.triton_private import interpreter
from playground.engine.triton_private.batched_counter import BatchCounter
from playground.engine.triton_private.batched_nodes import NeedsExactError
from playground.engine.triton_private.batched_outline import BatchOutliner
from playground.engine.triton_private.batched_survey import BatchSurvey
from playground.engine.triton_private.interpreter_marks import MarkedWatcher, Placed, cells_of
from playground.engine.triton_private.interpreter_outline import AccessOutliner
from playground.engine.triton_private.interpreter_recording import (
    AccessRecorder,
    EnoughError,
    Surveyor,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.access_sites import Survey
    from playground.engine.counter_layout import Layout, StorageSlot
    from playground.engine.job import Job
    from playground.engine.outline import Outline
    from playground.engine.recording import Recording
    from playground.engine.replay import PreparedReplay
    from playground.engine.triton_private.batched_counter import BatchTold
    from playground.engine.triton_private.interpreter import Access
    from playground.engine.triton_private.interpreter_access import LaunchMemory
    from playground.model.coverage import OutOfBounds
    from playground.model.hazard import Hazard

BUDGET_BYTES = 2 << 30
_CHECK_EVERY_S = 0.1


class CellCounter:
    """Adds accesses to counter cells; an `Observer` of the interpreter.

    Parameters
    ----------
    layout
        Where the storages lie on the counters.
    program
        Count this program only; None for all.
    """

    def __init__(
        self, layout: Layout, job: Job, program: int | None = None, budget_bytes: int = BUDGET_BYTES
    ) -> None:
        self.layout = layout
        self.flops: dict[str, int] = {}
        self.atomics = False
        self.disputed: np.ndarray[Any, np.dtype[np.bool_]] | None = None
        self.enough = False
        self._job = job
        self._program = program
        self._next_check_s = 0.0
        self._placed = Placed(layout)
        kinds = 2 if program is not None else 6
        self.on_disk = kinds * 4 * layout.cells > budget_bytes
        self.vectors = [self._vector(layout.cells) for _ in range(kinds)]
        # Storers and loaders by plain accesses alone, then by atomics: made at the first atomic.
        self.apart: list[np.ndarray[Any, np.dtype[np.int32]]] | None = None

    def _vector(self, cells: int) -> np.ndarray[Any, np.dtype[np.int32]]:
        if not self.on_disk:
            return np.zeros(max(cells, 1), dtype=np.int32)
        # Unlinked at once: the space goes back when the last view on it does.
        with tempfile.TemporaryFile(prefix="playground-counters-") as file:
            return np.memmap(file, dtype=np.int32, mode="w+", shape=(max(cells, 1),))

    def on_access(self, access: Access) -> None:
        """Count one access of one program."""
        if self._program is not None and access.program != self._program:
            if access.program > self._program:
                self.enough = True
                raise EnoughError
            return
        now = time.monotonic()
        if now > self._next_check_s:
            self._job.check()
            self._next_check_s = now + _CHECK_EVERY_S
        self.atomics |= access.kind == "atomic"
        active = access.active & access.in_bounds
        if access.changes is not None and self._program is None:
            changed = access.addresses[active & access.changes].reshape(-1)
            if changed.size:
                for slot, here in self._placed.by_storage(changed):
                    self._dispute(access, here, slot)
        addresses = access.addresses[active].reshape(-1)
        if addresses.size:
            for slot, here in self._placed.by_storage(addresses):
                self._add(access, here, slot)

    def on_dot(self, m: int, n: int, k: int, kind: str) -> None:
        """Count 2·m·n·k operations of one `tl.dot`."""
        self.flops[kind] = self.flops.get(kind, 0) + 2 * m * n * k

    def on_operations(self, name: str, count: int) -> None:
        """Leave reductions and scans to others."""

    def _dispute(self, access: Access, addresses: Any, slot: Any) -> None:
        """Note the cells in which this store replaces another program's value by a different one.

        Programs run one after the other here, so what lies in memory is what was stored last.
        """
        cells = cells_of(addresses, slot)
        latest, earliest = self.vectors[2][cells], self.vectors[3][cells]
        mine = (latest == access.program + 1) & (earliest == PROGRAM_LIMIT - access.program)
        others = cells[(latest > 0) & ~mine]
        if self.apart is not None:  # what an atomic changed since is not another store's value
            others = others[self.apart[4][others] == 0]
        if not others.size:
            return
        if self.disputed is None:
            self.disputed = np.zeros(max(self.layout.cells, 1), dtype=np.bool_)
        for part in range(max(1, access.element_size // slot.unit)):
            self.disputed[others + part] = True

    def _add(self, access: Access, addresses: Any, slot: Any) -> None:
        cells = cells_of(addresses, slot)
        program = access.program
        if access.kind == "atomic" and self.apart is None and self._program is None:
            self.apart = [vector.copy() for vector in self.vectors[2:]]
            self.apart += [self._vector(self.layout.cells) for _ in range(2)]
        for part in range(max(1, access.element_size // slot.unit)):
            touched = cells + part if part else cells
            if access.kind != "store":
                self._count(touched, 0, 4, program)
            if access.kind != "load":
                self._count(touched, 1, 2, program)
            if self.apart is not None:
                pair = _APART[access.kind]
                _keep_extremes(self.apart[pair], self.apart[pair + 1], touched, program)

    def _count(self, cells: Any, kind: int, last: int, program: int) -> None:
        vector = self.vectors[kind]
        low = int(cells.min())
        span = int(cells.max()) - low + 1
        if span <= 4 * cells.size:
            vector[low : low + span] += np.bincount(cells - low, minlength=span).astype(np.int32)
        else:
            np.add.at(vector, cells, 1)
        if self._program is not None:
            return
        _keep_extremes(self.vectors[last], self.vectors[last + 1], cells, program)

    def keep_atomics_apart(self, slots: Sequence[StorageSlot]) -> None:
        """Take what touched these storages for atomics, and all else for plain accesses."""
        self.apart = [vector.copy() for vector in self.vectors[2:]]
        self.apart += [self._vector(self.layout.cells) for _ in range(2)]
        for slot in slots:
            cells = slice(slot.first, slot.first + slot.cells)
            for plain, atomic in ((0, 4), (1, 5)):
                self.apart[atomic][cells] = self.apart[plain][cells]
            for vector in self.apart[:4]:
                vector[cells] = 0

    def touchers(self) -> Touchers:
        """Return who touched each cell by which means."""
        vectors = [torch.from_numpy(vector) for vector in self.apart or self.vectors[2:]]
        pairs = [Extremes(vectors[at], vectors[at + 1]) for at in range(0, len(vectors), 2)]
        return Touchers(pairs[0], pairs[1], pairs[2] if len(pairs) > 2 else None)


_APART = {"store": 0, "load": 2, "atomic": 4}


def _keep_extremes(latest: Any, earliest: Any, cells: Any, program: int) -> None:
    # Lanes that share a cell write the same value: no order matters.
    latest[cells] = np.maximum(latest[cells], np.int32(program + 1))
    earliest[cells] = np.maximum(earliest[cells], np.int32(PROGRAM_LIMIT - program))


class InterpreterCounter:
    """Counts a launch without a GPU: all programs together where that is enough, else one by one.

    `why_exact` says why the last run had to be program after program; empty where it had not.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.why_exact = ""
        self._trusted = False

    # Program after program --------------------------------------------------------------------

    def _observe(
        self, prepared: PreparedReplay,
        counter: CellCounter | AccessRecorder | AccessOutliner | MarkedWatcher,
        *more: AccessRecorder,
    ) -> None:  # fmt: skip
        """Run the launch once, observed."""
        ranges = [(slot.start, slot.end) for slot in self.layout.storages]
        prepared.restore()
        with contextlib.ExitStack() as stack:
            stack.enter_context(interpreter.storages(ranges))
            for observer in (counter, *more):
                stack.enter_context(interpreter.observing(observer))
            try:
                prepared.run()
            except Exception:
                # The interpreter wraps what an observer raises in an error of its own.
                if not counter.enough:
                    raise

    # All together -----------------------------------------------------------------------------

    def _follow(
        self, prepared: PreparedReplay, counter: CellCounter | None, survey: BatchTold, job: Job,
        programs: Sequence[int] | None = None, *, sampled: bool = False,
    ) -> tuple[OutOfBounds, ...] | None:  # fmt: skip
        """Follow the programs together, executing nothing; return what fell outside.

        None where the launch must run for real, for the reason in `why_exact`: then what `counter`
        and `survey` hold is worthless.
        """
        self.why_exact = ""
        followed: list[BatchCounter] = []

        def observer(launch: LaunchMemory) -> BatchCounter:
            if any(storage.told != storage.start for storage in launch.storages):
                raise NeedsExactError("the tensors are copies of the caller's")
            watch = BatchCounter(
                self.layout, counter, survey, launch.ranges, interpreter.nearest_tensor, job.check
            )
            followed.append(watch)
            return watch

        ranges = [(slot.start, slot.end) for slot in self.layout.storages]
        prepared.restore()
        try:
            if 0 in prepared.grid:
                raise NeedsExactError("there are no programs")
            chosen = None if programs is None else np.array(sorted(programs), dtype=np.int64)
            with interpreter.storages(ranges), interpreter.batching(observer, chosen):
                prepared.run()
            (made,) = followed
            made.finish(trusted=self._trusted, sampled=sampled)
        except NeedsExactError as reason:
            self.why_exact = str(reason)
            return None
        except Exception as error:
            if followed and error is followed[-1].stopped_by:
                raise
            # Running program after program says what is wrong, if anything is.
            self.why_exact = repr(error)
            return None
        return made.out_of_bounds(interpreter.MOST_SITES)

    # Questions --------------------------------------------------------------------------------

    def count(
        self, prepared: PreparedReplay, job: Job, budget_bytes: int | None,
        sample: int | None = None,
    ) -> Counts:  # fmt: skip
        """Return the counts of a launch, or of so many of its programs."""
        budget = BUDGET_BYTES if budget_bytes is None else budget_bytes
        start = time.perf_counter()
        programs = math.prod(prepared.grid)
        chosen = None
        if sample is not None and sample < programs:
            chosen = sample_of(programs, sample)
        self._trusted = False
        counter = CellCounter(self.layout, job, budget_bytes=budget)
        followed = BatchSurvey(programs, chosen)
        outside = self._follow(prepared, counter, followed, job, chosen, sampled=chosen is not None)
        if outside is not None:
            survey = followed.survey(self.layout)
            self._trusted = chosen is None
        else:
            counter = CellCounter(self.layout, job, budget_bytes=budget)
            surveyor = Surveyor(programs, job)
            with interpreter.only_programs(chosen):
                self._observe(prepared, counter, surveyor)
            survey = surveyor.survey(self.layout)
            outside = () if 0 in prepared.grid else interpreter.last_out_of_bounds()
        elapsed_ms = (time.perf_counter() - start) * 1e3
        loads, stores, storer_last, storer_first, loader_last, loader_first = (
            torch.from_numpy(vector) for vector in counter.vectors
        )
        disputed = None if counter.disputed is None else torch.from_numpy(counter.disputed)
        hazards: tuple[Hazard, ...] = ()
        resolution = "every element"
        if chosen is None:
            hazards = self._hazards(prepared, job, counter, survey, disputed)
        else:
            resolution = f"sample of {len(chosen)} of {programs} programs"
        if counter.on_disk:
            resolution += ", counters kept on disk"
        run = CountedRun(
            launch=prepared.launch.info.index,
            config=prepared.config,
            grid=prepared.grid,
            mode="interpreter",
            flops=counter.flops,
            out_of_bounds=outside,
            duration_ms=elapsed_ms,
            resolution=resolution,
            atomics=counter.atomics,
            values_compared=chosen is None,
            programs_counted=None if chosen is None else len(chosen),
            survey=survey,
            hazards=hazards,
            num_warps=int(prepared.options.get("num_warps") or 4),
        )
        cells = Cells(loads, stores, storer_last, storer_first, loader_last, loader_first, disputed)
        return Counts(run, self.layout, cells, self)

    def record(
        self, prepared: PreparedReplay, programs: Sequence[int], job: Job, budget_bytes: int
    ) -> Recording:
        """Return the accesses of `programs` (ascending) from one run."""
        recorder = AccessRecorder(programs, job, budget_bytes)
        if not programs:
            return recorder.recording(self.layout)
        followed = BatchSurvey(math.prod(prepared.grid), programs, budget_bytes // 8)
        if self._follow(prepared, None, followed, job, programs) is not None and followed.whole:
            return followed.recording(self.layout)
        self._observe(prepared, recorder)
        return recorder.recording(self.layout)

    def outline(self, prepared: PreparedReplay, job: Job) -> Outline:
        """Return the accesses of all programs in outline, of the first ones if they are many."""
        programs = chosen = math.prod(prepared.grid)
        while True:
            builder = OutlineBuilder(self.layout, torch.device("cpu"))
            batches = BatchOutliner(builder)
            only = None if chosen == programs else range(chosen)
            if self._follow(prepared, None, batches, job, only) is not None:
                return builder.outline(chosen)
            if not batches.too_many or chosen == 1:
                break
            chosen = max(chosen // 4, 1)
        builder = OutlineBuilder(self.layout, torch.device("cpu"))
        outliner = AccessOutliner(builder, job)
        self._observe(prepared, outliner)
        outliner.finish()
        return builder.outline(programs)

    def _hazards(
        self, prepared: PreparedReplay, job: Job, counter: CellCounter, survey: Survey,
        disputed: torch.Tensor | None,
    ) -> tuple[Hazard, ...]:  # fmt: skip
        """Return the hazards; a launch that has elements with any is run once more."""
        touchers = counter.touchers()
        loads = torch.from_numpy(counter.vectors[0])
        fresh = uninitialised_cells(self.layout, prepared.uninitialised(), torch.device("cpu"))
        marks = marks_of(touchers, loads, fresh)
        if marks is None:
            return ()
        job.progress("looking at elements that several programs touch")
        watcher = MarkedWatcher(self.layout, marks.numpy(), job)
        self._observe(prepared, watcher)
        return hazards_of(self.layout, touchers, marks, watcher.run(), survey, disputed)

    def footprint(
        self, prepared: PreparedReplay, program: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (loads, stores) over all cells, of one program; others run only where needed."""
        from playground.engine.job import Job

        counter = CellCounter(self.layout, Job(), program)
        nothing = BatchSurvey(1, (), 0)
        if self._follow(prepared, counter, nothing, Job(), [program]) is None:
            counter = CellCounter(self.layout, Job(), program)
            self._observe(prepared, counter)
        loads, stores = (torch.from_numpy(vector) for vector in counter.vectors)
        return loads, stores
