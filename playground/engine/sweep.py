"""A sweep: configs compiled in parallel, and tried in a process of their own as they are ready."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine import sweep_rows
from playground.engine.bench_line import BenchLine
from playground.engine.bench_messages import Confirm, Confirmed, Try
from playground.engine.bench_process import BenchProcess, DiedError, OverdueError, recipe_of
from playground.engine.child_process import usable_cores
from playground.engine.job import CancelledError
from playground.engine.searching import search_for
from playground.model.ranking import ranked
from playground.model.sweep import SweepPhases, SweepResult, SweepRow
from playground.protocol.messages import SweepProgress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.bench_messages import Tried
    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.engine.sweep_record import SweepRecord
    from playground.model.config import Config
    from playground.model.sweep_plan import SweepPlan

FINALISTS = 8
"""Configs that are timed again at the end, in turns, so that drift hits all of them alike."""
CONFIRM_S = 5.0
GPU_LIMIT_S, INTERPRETER_LIMIT_S = 30.0, 120.0
"""Seconds that one config may take to be checked and timed."""
MOST_CONSTRAINT_ROWS = 500
"""Configs ruled out by a condition that get a row of their own; of more only the number is kept."""
_QUIET_CORES = 2
"""Cores left to the bench worker: one launches, the other is the CUDA driver's threads'."""
_FEWEST_CORES = 4
"""Cores from which on the timed process gets some of its own."""
_BATCH = 8
"""Configs that a search asks for at a time: as many as compile together in little more than one."""


class _EnoughError(Exception):
    """The sweep's time is up; what was measured is confirmed."""


def run_sweep(
    session: Session,
    launch_index: int,
    plan: SweepPlan,
    target: str | None,
    job: Job,
    record: SweepRecord | None = None,
) -> SweepResult:
    """Return a row for every config tried; cancelling keeps what was measured so far.

    Each config is run in a bench worker, so that one which hangs, crashes or poisons CUDA costs
    itself alone. In the interpreter configs are compiled for `target` and checked, nothing is
    timed.

    Parameters
    ----------
    record
        Where every row is kept as it comes; its earlier rows are not tried again.
    """
    sweep = _Sweep(session, launch_index, plan, target, job, record)
    return sweep.run()


class _Sweep:
    def __init__(
        self, session: Session, launch_index: int, plan: SweepPlan, target: str | None, job: Job,
        record: SweepRecord | None,
    ) -> None:  # fmt: skip
        self._session = session
        self._launch_index = launch_index
        self._plan = plan
        self._target = target
        self._job = job
        self._record = record
        self._timed = session.device.mode == "gpu"
        self._compiled: dict[Config, SweepRow] = {}
        self._search, self._total = search_for(plan, timed=self._timed)
        self._adaptive = self._total is None
        self._lock = threading.Lock()
        self._rows: dict[Config, SweepRow] = {}
        self._samples: dict[Config, tuple[float, ...]] = {}
        self._phases = SweepPhases()
        self._notes: list[str] = []
        self._excluded = 0
        self._started = time.monotonic()
        self._before_s = 0.0
        self._ranking = sweep_rows.no_ranking()
        cores = sorted(usable_cores())
        roomy = self._timed and len(cores) >= _FEWEST_CORES
        self._own = cores[-_QUIET_CORES:] if roomy else []
        self._others = cores[:-_QUIET_CORES] if roomy else []
        self._bench = BenchProcess(
            recipe_of(session, launch_index), self._own, session.take_bench()
        )

    def run(self) -> SweepResult:
        cancelled = False
        try:
            with self._quiet():
                self._bench.start()  # it comes to the launch while the first configs compile
                with contextlib.suppress(_EnoughError):
                    self._constraints()
                    self._resume()
                    self._try_all()
                if self._timed and self._plan.confirm:
                    self._confirm()
        except (CancelledError, KeyboardInterrupt):
            cancelled = True
        finally:
            self._bench.close()
        result = self._result(cancelled)
        if self._record is not None:
            self._record.finish(result)
            result = replace(result, store=self._record.number)
        return result

    @contextlib.contextmanager
    def _quiet(self) -> Iterator[None]:
        if not self._others:
            yield
            return
        with self._session.compiler.kept_to(self._others):
            yield

    # ------------------------------------------------------------------ trying

    def _constraints(self) -> None:
        """Give the configs that a condition rules out their rows, or count them."""
        if not self._plan.space.constraints or self._adaptive:
            return
        for config in self._plan.space.combinations():
            self._go_on()
            why = self._plan.space.violation(config)
            if not why:
                continue
            if len(self._rows) < MOST_CONSTRAINT_ROWS:
                if self._total is not None:
                    self._total += 1
                self._add(SweepRow(config, "constraint", why), tell=False)
            else:
                self._excluded += 1

    def _resume(self) -> None:
        """Take over what an earlier sweep has measured, as far as it lies in this one's space."""
        if self._record is None:
            return
        self._before_s = max((row.at_s or 0.0 for row, _ in self._record.earlier), default=0.0)
        for row, samples in self._record.earlier:
            if row.status in ("constraint", "cancelled"):
                continue  # of that sweep's conditions, which may be others now
            if row.config in self._plan.space and row.config not in self._rows:
                self._samples[row.config] = samples
                self._add(replace(row, kept=True, place=None, confirmed=False))

    def _try_all(self) -> None:
        line = BenchLine(self._bench, self._job, self._limit_s(), self._order_for, self._on_tried)
        try:
            width = _BATCH if self._adaptive else self._total or 1
            while batch := self._search.ask(width):
                missing = [config for config in batch if config not in self._rows]
                self._compile(missing, line)
                self._phase(compile_s=time.monotonic() - self._started)
                # A search decides better the more it knows; half a batch keeps the GPU busy.
                line.wait(len(batch) // 2 if self._adaptive else 0, self._go_on)
                if line.problem:
                    self._try_here(line)
            line.wait(0, self._go_on)
            if line.problem:
                self._try_here(line)
        except _EnoughError:
            line.left()
            line.wait(0, self._job.check)  # what is under way is worth its row
            raise
        finally:
            line.end()
            self._phase(start_s=self._bench.start_s)

    def _compile(self, configs: list[Config], line: BenchLine) -> None:
        def on_done(config: Config, outcome: CompileOutcome) -> None:
            row = sweep_rows.compiled_row(config, outcome)
            with self._lock:
                self._compiled[config] = row
            if row.status in ("compile", "resources"):
                self._add(row)
            else:
                line.put(config)
            if not line.problem:
                self._job.wait_while_paused()
            self._go_on()
            with self._lock:
                text = f"compiled {len(self._compiled)}, tried {len(self._rows)}"
                share = len(self._rows) / self._expected() if self._expected() else None
            self._job.progress(text, share)

        launch = self._session.launches[self._launch_index]
        self._session.compiler.compile_many(launch, configs, self._target, self._job, on_done)

    def _try_here(self, line: BenchLine) -> None:
        """Try what is left in this process: the file cannot be run again in another."""
        from playground.engine import trying

        note = f"tried in the engine itself, not in a process of their own: {line.problem}"
        if note not in self._notes:
            self._notes.append(note)
        for config in line.left():
            self._job.wait_while_paused()
            self._go_on()
            tried = trying.tried(
                self._session, self._launch_index, self._order_for(config), self._job
            )
            self._on_tried(config, tried)
            if tried.fatal:
                from playground.engine.findings import FatalError

                raise FatalError(tried.reason)

    def _order_for(self, config: Config) -> Try:
        with self._lock:
            times = [
                row.median_ms for row in self._rows.values()
                if row.median_ms is not None and row.status == "correct"
            ]  # fmt: skip
        best = min(times, default=None)
        return Try(config, self._plan.budget_ms, self._plan.cache, best)

    def _on_tried(self, config: Config, tried: Tried) -> None:
        with self._lock:
            row = self._compiled[config]
            phases = self._phases
            self._phases = replace(
                phases, check_s=phases.check_s + tried.check_s,
                screen_s=phases.screen_s + tried.screen_s,
            )  # fmt: skip
            self._samples[config] = tried.samples_ms
        self._add(sweep_rows.tried_row(row, tried))

    # ------------------------------------------------------------------ confirming

    def _confirm(self) -> None:
        """Time the fastest few again, with the sliders' config and the baseline, in turns."""
        finalists = sweep_rows.finalists(
            tuple(self._rows.values()), FINALISTS, (self._plan.start, self._plan.baseline)
        )
        if len(finalists) < 2:
            return
        self._job.progress("confirming the fastest", None)
        began = time.monotonic()
        order = Confirm(tuple(row.config for row in finalists), self._plan.cache, seconds=CONFIRM_S)
        try:
            answer = self._bench.ask(order, CONFIRM_S + self._limit_s(), self._job.check)
        except (DiedError, OverdueError) as error:
            self._notes.append(f"the finalists could not be timed again: {error}")
            return
        finally:
            self._phase(confirm_s=time.monotonic() - began)
        if not isinstance(answer, Confirmed):
            self._notes.append("the finalists could not be timed again")
            return
        for config, why in answer.wrong:
            self._keep(replace(self._rows[config], status="wrong", reason=why))
        wrong = {config for config, _ in answer.wrong}
        rounds = {
            config: times
            for config, times in zip(answer.configs, answer.times_ms, strict=True)
            if config not in wrong and times
        }
        self._notes += answer.notes
        if not rounds:
            return
        shared = {config: self._rows[config].shared_bytes for config in rounds}
        self._ranking = ranked(rounds, shared)
        for config, times in rounds.items():
            row = sweep_rows.confirmed_row(self._rows[config], times, answer.source)
            self._samples[config] = times
            self._keep(replace(row, place=self._ranking.place(config)))

    # ------------------------------------------------------------------ inside

    def _limit_s(self) -> float:
        if self._plan.limit_s is not None:
            return self._plan.limit_s
        return GPU_LIMIT_S if self._timed else INTERPRETER_LIMIT_S

    def _go_on(self) -> None:
        self._job.check()
        total_s = self._plan.total_s
        if total_s is not None and time.monotonic() - self._started > total_s:
            self._notes.append(f"ended after {total_s:g} s, as asked")
            raise _EnoughError

    def _phase(self, **seconds: float) -> None:
        with self._lock:
            self._phases = replace(self._phases, **seconds)

    def _expected(self) -> int:
        return self._total if self._total is not None else len(self._rows)

    def _keep(self, row: SweepRow) -> None:
        with self._lock:
            self._rows[row.config] = row
        if self._record is not None and not row.kept:
            self._record.add(row, self._samples.get(row.config, ()))

    def _add(self, row: SweepRow, *, tell: bool = True) -> None:
        """Take a new row, tell the search of it and send it."""
        if not row.kept:
            row = replace(row, at_s=self._before_s + time.monotonic() - self._started)
        self._keep(row)
        with self._lock:
            if tell:
                good = row.status in ("correct", "unjudged")
                self._search.tell(row.config, row.median_ms if good else None)
            done, total = len(self._rows), max(self._expected(), len(self._rows))
            spent = time.monotonic() - self._started
        eta_s = spent / done * (total - done) if done and total > done else None
        self._job.send(SweepProgress((row,), done, total, eta_s))

    def _result(self, cancelled: bool) -> SweepResult:
        if self._record is not None and self._record.note:
            self._notes.append(self._record.note)
        if not self._timed:
            self._notes.insert(0, "interpreter: results are checked, nothing is ranked by time")
        total = len(self._rows) if self._total is None else max(self._total, len(self._rows))
        return SweepResult(
            launch=self._launch_index,
            target=self._target or self._session.device.target,
            rows=tuple(self._rows.values()),
            total=total,
            cancelled=cancelled,
            elapsed_s=time.monotonic() - self._started,
            note="; ".join(dict.fromkeys(self._notes)),
            ranking=self._ranking,
            phases=self._phases,
            excluded=self._excluded,
        )
