"""The end of a sweep: its fastest few timed again in turns, on one device."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playground.engine import sweep_rows
from playground.engine.bench_messages import Confirm, Confirmed
from playground.engine.bench_process import BenchError, DiedError, LostError, OverdueError
from playground.model.ranking import Ranking, ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.bench_process import Bench
    from playground.engine.job import Job
    from playground.engine.sweep_tally import Tally
    from playground.model.sweep_plan import SweepPlan

FINALISTS = 8
"""Configs that are timed again at the end, in turns, so that drift hits all of them alike."""
CONFIRM_S = 5.0


def confirm(
    tally: Tally, benches: Sequence[Bench], plan: SweepPlan, limit_s: float, job: Job
) -> Ranking:
    """Time the fastest few again, with the sliders' config and the baseline; return their ranking.

    All of them on the first worker that can: times of different GPUs are never ranked against each
    other. The other workers are ended before, so that the machine is quiet.
    """
    finalists = sweep_rows.finalists(tally.rows(), FINALISTS, (plan.start, plan.baseline))
    if len(finalists) < 2:
        return Ranking()
    job.progress("confirming the fastest", None)
    began = time.monotonic()
    order = Confirm(tuple(row.config for row in finalists), plan.cache, seconds=CONFIRM_S)
    try:
        device, answer = _asked(order, benches, tally, CONFIRM_S + limit_s, job)
    finally:
        tally.phase(confirm_s=time.monotonic() - began)
    if not isinstance(answer, Confirmed):
        return Ranking()
    for config, why in answer.wrong:
        tally.keep(replace(tally[config], status="wrong", reason=why))
    wrong = {config for config, _ in answer.wrong}
    rounds = {
        config: times
        for config, times in zip(answer.configs, answer.times_ms, strict=True)
        if config not in wrong and times
    }
    for note in answer.notes:
        tally.note(note)
    if not rounds:
        return Ranking()
    ranking = ranked(rounds, {config: tally[config].shared_bytes for config in rounds})
    for config, times in rounds.items():
        row = sweep_rows.confirmed_row(tally[config], times, answer.source, device)
        tally.keep(replace(row, place=ranking.place(config)), times)
    return ranking


def _asked(
    order: Confirm, benches: Sequence[Bench], tally: Tally, limit_s: float, job: Job
) -> tuple[str, Any]:
    """Return the device and its answer, of the first worker that gives one; at most two try."""
    usable = [bench for bench in benches if bench.device][:2]
    why = "no worker is left"
    for bench in usable:
        for other in benches:
            if other is not bench:
                other.close()
        try:
            answer = bench.ask(order, limit_s, job.check)
        except (DiedError, OverdueError, LostError, BenchError) as error:
            why = str(error)
            continue
        if isinstance(answer, Confirmed):
            return bench.device, answer
        why = f"it answered with {type(answer).__name__}"
    tally.note(f"the finalists could not be timed again: {why}")
    return "", None
