"""Counting in Triton's interpreter: all programs together, or one by one under observers."""

from __future__ import annotations

import contextlib
import math
import time
from typing import TYPE_CHECKING

import numpy as np
import torch

from playground.engine.access_sites import sample_of
from playground.engine.counters import Cells, CountedRun, Counts
from playground.engine.hazards import (
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
from playground.engine.triton_private.interpreter_cells import BUDGET_BYTES, CellCounter
from playground.engine.triton_private.interpreter_marks import MarkedWatcher
from playground.engine.triton_private.interpreter_outline import AccessOutliner
from playground.engine.triton_private.interpreter_recording import (
    AccessRecorder,
    Surveyor,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.access_sites import Survey
    from playground.engine.counter_layout import Layout
    from playground.engine.job import Job
    from playground.engine.outline import Outline
    from playground.engine.recording import Recording
    from playground.engine.replay import PreparedReplay
    from playground.engine.triton_private.batched_counter import BatchTold
    from playground.engine.triton_private.interpreter_access import LaunchMemory
    from playground.model.coverage import OutOfBounds
    from playground.model.hazard import Hazard


class InterpreterCounter:
    """Counts a launch without a GPU: all programs together where that is enough, else one by one.

    `why_exact` says why the last run had to be program after program; empty where it had not.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.why_exact = ""
        self._trusted = False
        self._unseen: tuple[str, ...] = ()

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
        self.why_exact, self._unseen = "", ()
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
            self._unseen = made.notes
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
        finally:
            for watch in followed:
                watch.stopped_by = None  # its frames hold the watch
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
        notes = self._unseen
        if counter.on_disk:
            notes += ("hazards between programs are not looked for: the counters do not fit",)
        elif notes:
            notes += ("hazards between programs are not looked for: they need what it computes",)
        elif chosen is None:
            hazards = self._hazards(prepared, job, counter, survey, disputed)
        if chosen is not None:
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
            notes=notes,
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
        followed = BatchSurvey(math.prod(prepared.grid), programs, budget_bytes // 8, smallest=1)
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
        loads, stores = (torch.from_numpy(vector) for vector in counter.vectors[:2])
        fresh = uninitialised_cells(self.layout, prepared.uninitialised(), torch.device("cpu"))
        marks = marks_of(touchers, loads, fresh)
        if marks is None:
            return ()
        job.progress("looking at elements that several programs touch")
        watcher = MarkedWatcher(self.layout, marks.numpy(), job)
        self._observe(prepared, watcher)
        run = watcher.run()
        return hazards_of(self.layout, touchers, marks, run, survey, disputed, stores)

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
