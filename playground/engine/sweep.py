"""A sweep: compile every config in parallel, then check and time each on the quiet device."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.job import CancelledError
from playground.model.sweep import SweepResult, SweepRow
from playground.protocol.messages import SweepProgress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.model.measurement import Measurement

FINALISTS = 4
"""Configs measured again at the end, in turns, so that drift hits all of them alike."""
FINAL_ROUNDS = 3


def run_sweep(
    session: Session,
    launch_index: int,
    configs: Sequence[Config],
    target: str | None,
    budget_ms: float,
    job: Job,
) -> SweepResult:
    """Return a row for every config tried; cancelling keeps what was measured so far.

    Parameters
    ----------
    budget_ms
        Measuring time a config; only on a GPU. In the interpreter configs are compiled for
        `target` and checked, and nothing is timed.

    Raises
    ------
    Exception
        What makes the process unusable (a poisoned CUDA context) is raised after the rows so far
        were sent; the failing config's row carries the reason.
    """
    started = time.monotonic()
    timed = session.device.mode == "gpu"
    sweep = _Sweep(session, launch_index, tuple(configs), target, budget_ms, timed, job)
    cancelled = False
    try:
        sweep.compile_all()
        sweep.try_all()
        if timed:
            sweep.confirm()
    except (CancelledError, KeyboardInterrupt):
        cancelled = True
    return SweepResult(
        launch=launch_index,
        target=target or session.device.target,
        rows=tuple(sweep.rows.values()),
        total=len(configs),
        cancelled=cancelled,
        elapsed_s=time.monotonic() - started,
        note="" if timed else "interpreter: results are checked, nothing is ranked by time",
    )


class _Sweep:
    def __init__(
        self,
        session: Session,
        launch_index: int,
        configs: tuple[Config, ...],
        target: str | None,
        budget_ms: float,
        timed: bool,
        job: Job,
    ) -> None:
        self._session = session
        self._launch_index = launch_index
        self._configs = configs
        self._target = target
        self._budget_ms = budget_ms
        self._timed = timed
        self._job = job
        self._compiled: dict[Config, SweepRow] = {}
        self.rows: dict[Config, SweepRow] = {}

    def compile_all(self) -> None:
        """Compile every config in parallel; what cannot run gets its row here."""
        total = len(self._configs)
        done = 0

        def on_done(config: Config, outcome: CompileOutcome) -> None:
            nonlocal done
            done += 1
            row = _compiled_row(config, outcome)
            self._compiled[config] = row
            if row.status in ("compile", "resources"):
                self._add(row)
            self._job.progress(f"compiled {done} of {total} configs", 0.5 * done / total)

        launch = self._session.launches[self._launch_index]
        self._session.compiler.compile_many(launch, self._configs, self._target, self._job, on_done)

    def try_all(self) -> None:
        """Check and time what compiled, in shuffled order so that drift favours nobody."""
        left = [config for config in self._configs if config not in self.rows]
        random.Random(0).shuffle(left)
        for number, config in enumerate(left, start=1):
            self._job.progress(
                f"config {number} of {len(left)}: {config.label()}",
                0.5 + 0.5 * (number - 1) / max(len(left), 1),
            )
            self._add(self._tried(config))

    def confirm(self) -> None:
        """Measure the fastest few again, interleaved, and keep their pooled samples."""
        timed = [row for row in self.rows.values() if row.status == "correct" and row.median_ms]
        finalists = sorted(timed, key=lambda row: row.median_ms or 0.0)[:FINALISTS]
        if len(finalists) < 2:
            return
        samples: dict[Config, list[float]] = {row.config: [] for row in finalists}
        order = list(samples)
        for round_number in range(FINAL_ROUNDS):
            self._job.progress("confirming the fastest", round_number / FINAL_ROUNDS)
            random.Random(round_number).shuffle(order)
            for config in order:
                measurement = self._bench(config)
                samples[config].extend(measurement.samples_ms)
        for row in finalists:
            # The class computes median and interval from samples; no second formula here.
            pooled = replace(measurement, samples_ms=tuple(samples[row.config]))
            low, high = pooled.interval_ms
            self._add(replace(row, median_ms=pooled.median_ms, low_ms=low, high_ms=high))

    def _tried(self, config: Config) -> SweepRow:
        row = self._compiled[config]
        try:
            checked = self._session.judge(self._launch_index, config, self._job)
            row = replace(row, status=checked.result.status, reason=checked.result.text())
            if not self._timed or row.status == "wrong":
                return row
            measurement = self._bench(config)
            low, high = measurement.interval_ms
            return replace(row, median_ms=measurement.median_ms, low_ms=low, high_ms=high)
        except (CancelledError, KeyboardInterrupt):
            raise
        except Exception as error:
            finding = self._session.finding(error, "sweep")
            failed = replace(row, status="runtime", reason=_reason((finding,)))
            if self._session.is_fatal(error):
                self._add(failed)
                raise
            return failed

    def _bench(self, config: Config) -> Measurement:
        # Not `bench`: it counts every config's bytes, and a counting copy compiles for seconds.
        return self._session.measure(self._launch_index, config, self._budget_ms, "cold", self._job)

    def _add(self, row: SweepRow) -> None:
        self.rows[row.config] = row
        self._job.send(SweepProgress((row,), len(self.rows), len(self._configs)))


def _compiled_row(config: Config, outcome: CompileOutcome) -> SweepRow:
    report = outcome.report
    errors = tuple(item for item in outcome.findings if item.severity == "error")
    if report is None:
        return SweepRow(config, "compile", _reason(errors or outcome.findings))
    row = SweepRow(
        config,
        "unjudged",
        registers=report.registers,
        spill_bytes=report.spill_bytes,
        shared_bytes=report.shared_bytes,
        programs_per_sm=report.occupancy.programs_per_sm if report.occupancy else None,
    )
    if not report.fits:
        return replace(row, status="resources", reason=_reason(errors) or "does not fit the target")
    return row


def _reason(findings: Sequence[Finding]) -> str:
    return findings[0].message if findings else ""
