"""The finalists of a sweep, timed in random turns on the quiet device."""

from __future__ import annotations

import contextlib
import random
import time
from typing import TYPE_CHECKING

from playground.engine import quick_check, sampling, screening, timing
from playground.engine.bench_messages import Confirmed
from playground.engine.clocks import choice
from playground.engine.replay import put_back_after
from playground.model.ranking import is_settled

if TYPE_CHECKING:
    from playground.engine.bench_messages import Confirm
    from playground.engine.clocks.work import Work
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.measurement import ClockSource

CHUNK = 50
"""Rounds between two looks at whether the ranking is clear."""


def confirmed(session: Session, launch: int, order: Confirm, job: Job) -> Confirmed:
    """Time the configs of `order` round by round, each round in an order of its own.

    All run on the same memory; a result that is wrong after the timing is told.
    """
    wrong = _found_wrong(session, launch, order.configs, job)
    configs = tuple(config for config in order.configs if config not in dict(wrong))
    if not configs:
        return Confirmed((), (), None, wrong)
    started = time.perf_counter()
    rounds: list[list[float]] = [[] for _ in configs]
    source: ClockSource | None = None
    notes: tuple[str, ...] = ()
    turn = random.Random(0)
    with session.guarded(job), contextlib.ExitStack() as stack:
        works: list[Work] = []
        for config in configs:
            prepared = stack.enter_context(put_back_after(session.prepare(launch, config)))
            prepared.restore()
            prepared.run()
            works.append(sampling.work_of(prepared, order.cache, screening.must_restore(prepared)))
        timing.warm_up(works[0], 0.1, job)
        first = True
        while len(rounds[0]) < order.most:
            turns = [
                index for _ in range(CHUNK) for index in turn.sample(range(len(works)), len(works))
            ]
            # The first rounds after a pause run fast; they are no part of the ranking.
            dropped = list(range(len(works))) * (sampling.DROPPED if first else 1)
            timed = choice.turns(works, [*dropped, *turns], source)
            source = timed.source
            if timed.note and timed.note not in notes:
                notes = (*notes, timed.note)
            for index, duration in zip(turns, timed.times_ms[len(dropped) :], strict=True):
                rounds[index].append(duration)
            first = False
            spent = time.perf_counter() - started
            if len(rounds[0]) >= order.least and is_settled(rounds):
                break
            if spent > order.seconds * (1 - 0.5 * CHUNK / max(len(rounds[0]), CHUNK)):
                break
        timing.stay_busy()
    wrong += tuple(
        (config, "its result was wrong when it was looked at again after timing")
        for config in configs
        if not _still_right(session, launch, config, job)
    )
    return Confirmed(configs, tuple(map(tuple, rounds)), source, wrong, notes)


def _found_wrong(
    session: Session, launch: int, configs: tuple[Config, ...], job: Job
) -> tuple[tuple[Config, str], ...]:
    """Return what the whole check, which costs more than the quick one, finds wrong."""
    found = []
    for config in configs:
        result = session.judge(launch, config, job).result
        if result.status == "wrong":
            found.append((config, result.text()))
    return tuple(found)


def _still_right(session: Session, launch: int, config: Config, job: Job) -> bool:
    if quick_check.is_right(session, launch, config, job):
        return True
    return session.judge(launch, config, job).result.status != "wrong"
