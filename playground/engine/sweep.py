"""A sweep: configs compiled in parallel, and tried in a process of their own as they are ready."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine import benches, sweep_rows
from playground.engine.bench_line import BenchLine
from playground.engine.bench_messages import Tried, Try
from playground.engine.bench_process import DiedError, LostError, OverdueError
from playground.engine.foresight import LEADERS, Foresight
from playground.engine.job import CancelledError
from playground.engine.ragged import ragged_sizes
from playground.engine.searching import search_for
from playground.engine.sweep_finalists import Finalists
from playground.engine.sweep_tally import Tally
from playground.model.search import heaviest_first
from playground.model.statistics import median
from playground.model.sweep import SweepResult, SweepRow, timed_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.bench_process import Bench
    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.engine.sweep_record import SweepRecord
    from playground.model.config import Config
    from playground.model.sweep_plan import SweepPlan

GPU_LIMIT_S, INTERPRETER_LIMIT_S = 30.0, 120.0
"""Seconds that one config may take to be checked and timed."""
MOST_CONSTRAINT_ROWS = 500
"""Configs ruled out by a condition that get a row of their own; of more only the number is kept."""
_HEAVY = 32
"""Configs that take long to compile and go first, or the last of them is waited for alone."""
_LIGHT = 4
"""Configs that compile soonest and go before these: the GPU waits for the first of all."""
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
        self._job = job
        self._record = record
        self._benches = benches.open_benches(session, launch_index, plan.workers, job)
        self._timed = self._benches.timed
        self._target = target or self._benches.target
        self._compiled: dict[Config, SweepRow] = {}
        try:
            search, total = search_for(plan, timed=self._timed)
        except BaseException:
            self._benches.close()  # its processes may have been started ahead
            raise
        self._search = search
        self._adaptive = total is None
        self._lock = threading.Lock()
        self._tally = Tally(search, total, job, record)
        self._tally.note(self._benches.note)
        self._foresight = Foresight(
            session.compiler, session.seed + 1, tuple(ragged_sizes(session).items()),
            self._limit_s(),
        )  # fmt: skip
        # Where there are several, the first times the finalists, and the second checks them.
        self._foreseer = (self._benches.workers[1:] or self._benches.workers)[0]
        self._finalists = Finalists(
            self._tally, self._benches.workers, plan, self._limit_s(), self._foresight, job
        )

    def run(self) -> SweepResult:
        cancelled = False
        try:
            with self._quiet():
                for bench in self._benches.workers:
                    bench.start()  # it comes to the launch while the first configs compile
                with contextlib.suppress(_EnoughError):
                    self._constraints()
                    self._resume()
                    self._try_all()
                if self._timed and self._plan.confirm:
                    self._finalists.decide()
        except (CancelledError, KeyboardInterrupt):
            cancelled = True
        finally:
            self._foresight.end()
            self._benches.close()
        result = self._result(cancelled)
        if self._record is not None:
            self._record.finish(result)
            result = replace(result, store=self._record.number)
        return result

    @contextlib.contextmanager
    def _quiet(self) -> Iterator[None]:
        if not self._benches.others:
            yield
            return
        with self._session.compiler.kept_to(self._benches.others):
            yield

    # ------------------------------------------------------------------ trying

    def _constraints(self) -> None:
        """Give the configs that a condition rules out their rows; of many only the number."""
        space = self._plan.space
        if not space.constraints or self._adaptive:
            return
        ruled_out = 0
        for config in space.combinations():
            self._go_on()
            if not (why := space.violation(config)):
                continue
            ruled_out += 1
            if ruled_out > MOST_CONSTRAINT_ROWS:
                break
            if self._tally.total is not None:
                self._tally.total += 1
            self._tally.add(SweepRow(config, "constraint", why), tell=False)
        if ruled_out > MOST_CONSTRAINT_ROWS:
            count = space.count()  # billions of combinations are not gone through
            self._tally.excluded = count.total - count.valid - MOST_CONSTRAINT_ROWS

    def _resume(self) -> None:
        """Take over what an earlier sweep has measured, as far as it lies in this one's space."""
        if self._record is None:
            return
        self._tally.before_s = max(
            (row.at_s or 0.0 for row, _ in self._record.earlier), default=0.0
        )
        for row, samples in self._record.earlier:
            if row.status in ("constraint", "cancelled"):
                continue  # of that sweep's conditions, which may be others now
            if row.config in self._plan.space and row.config not in self._tally:
                self._tally.add(replace(row, kept=True, place=None, confirmed=False), samples)

    def _try_all(self) -> None:
        line = BenchLine(
            self._benches.workers, self._job, self._limit_s(), self._order_for, self._on_tried,
            self._on_ready, self._on_turn,
        )  # fmt: skip
        try:
            batch_of = max(_BATCH, 2 * len(self._benches.workers))
            width = batch_of if self._adaptive else self._tally.total or 1
            while batch := self._search.ask(width):
                missing = [config for config in batch if config not in self._tally]
                self._compile(heaviest_first(missing, _HEAVY, _LIGHT), line)
                self._tally.phase(compile_s=self._tally.elapsed_s)
                if self._foresees and not self._adaptive:
                    self._foresight.start()  # nothing else is to be compiled
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
            self._tally.phase(start_s=max(bench.start_s for bench in self._benches.workers))
            if not line.problem:
                for number, why in line.given_up().items():
                    self._tally.note(f"worker {number + 1} was given up: {why}")

    def _compile(self, configs: list[Config], line: BenchLine) -> None:
        def on_done(config: Config, outcome: CompileOutcome) -> None:
            row = sweep_rows.compiled_row(config, outcome)
            with self._lock:
                self._compiled[config] = row
            if row.status in ("compile", "resources"):
                self._tally.add(row)
            else:
                line.put(config)
            if not line.problem:
                self._job.wait_while_paused()
            self._go_on()
            tried, expected = len(self._tally), self._tally.expected()
            text = f"compiled {len(self._compiled)}, tried {tried}"
            self._job.progress(text, tried / expected if expected else None)

        launch = self._session.launches[self._launch_index]
        self._session.compiler.compile_many(launch, configs, self._target, self._job, on_done)

    def _try_here(self, line: BenchLine) -> None:
        """Try what is left in this process: the file cannot be run again in another."""
        from playground.engine import trying
        from playground.engine.machine import device_label

        self._tally.note(
            f"tried in the engine itself, not in a process of their own: {line.problem}"
        )
        device = device_label()
        for config in line.left():
            self._job.wait_while_paused()
            self._go_on()
            order = self._order(config, device)
            tried = trying.tried(self._session, self._launch_index, order, self._job)
            self._take(config, tried, device)
            if tried.fatal:
                from playground.engine.findings import FatalError

                raise FatalError(tried.reason)

    def _on_ready(self, bench: Bench, go_on: Callable[[], None]) -> None:
        """Time one config, the same for all, on each of several GPUs: it is their common scale."""
        if not self._benches.on_several_gpus or self._tally.is_scaled(bench.device):
            return
        config = self._plan.start or self._session.launches[self._launch_index].info.config
        why = ""
        try:
            order = Try(config, self._plan.budget_ms, self._plan.cache)
            tried = bench.ask(order, self._limit_s(), go_on)
        except (DiedError, OverdueError, LostError) as error:
            why = str(error)
        else:
            if isinstance(tried, Tried) and tried.status == "correct" and tried.samples_ms:
                self._tally.set_scale(bench.device, median(tried.samples_ms))
                return
            why = getattr(tried, "reason", "")
        self._tally.note(
            f"times of {bench.device} are on no common scale with the others: {config.label()} "
            f"could not be timed there ({why})"
        )

    @property
    def _foresees(self) -> bool:
        return self._timed and self._plan.confirm and self._plan.prove

    def _on_turn(self, bench: Bench, go_on: Callable[[], None], idle: bool) -> None:
        if bench is self._foreseer and self._foresees:
            leaders = [row.config for row in timed_rows(self._tally.rows())[:LEADERS]]
            self._foresight.turn(bench, go_on, leaders, idle=idle)

    def _order_for(self, config: Config, bench: Bench) -> Try:
        return self._order(config, bench.device)

    def _order(self, config: Config, device: str) -> Try:
        plan = self._plan
        return Try(config, plan.budget_ms, plan.cache, self._tally.best_ms(device))

    def _on_tried(self, config: Config, tried: Tried, bench: Bench) -> None:
        self._take(config, tried, bench.device)

    def _take(self, config: Config, tried: Tried, device: str) -> None:
        self._tally.spent(tried.check_s, tried.screen_s)
        with self._lock:
            row = self._compiled[config]
        self._tally.add(sweep_rows.tried_row(row, tried, device), tried.samples_ms)

    # ------------------------------------------------------------------ inside

    def _limit_s(self) -> float:
        if self._plan.limit_s is not None:
            return self._plan.limit_s
        return GPU_LIMIT_S if self._timed else INTERPRETER_LIMIT_S

    def _go_on(self) -> None:
        self._job.check()
        total_s = self._plan.total_s
        if total_s is not None and self._tally.elapsed_s > total_s:
            self._tally.note(f"ended after {total_s:g} s, as asked")
            raise _EnoughError

    def _result(self, cancelled: bool) -> SweepResult:
        tally = self._tally
        if self._record is not None:
            tally.note(self._record.note)
        if not self._timed:
            tally.notes.insert(0, "interpreter: results are checked, nothing is ranked by time")
        rows = tally.rows()
        return SweepResult(
            launch=self._launch_index,
            target=self._target,
            rows=rows,
            total=len(rows) if tally.total is None else max(tally.total, len(rows)),
            cancelled=cancelled,
            elapsed_s=tally.elapsed_s,
            note="; ".join(dict.fromkeys(tally.notes)),
            ranking=self._finalists.ranking,
            proved_at=self._finalists.proved_at,
            phases=tally.phases,
            excluded=tally.excluded,
        )
