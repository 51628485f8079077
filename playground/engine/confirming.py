"""The finalists of a sweep, timed in random turns on the quiet device."""

from __future__ import annotations

import contextlib
import random
import time
from typing import TYPE_CHECKING

from playground.engine import quick_check, sampling, screening, timing
from playground.engine.bench_messages import Confirmed
from playground.engine.clocks import choice, events
from playground.engine.clocks.nvml import clock_state
from playground.engine.clocks.work import Work
from playground.engine.replay import put_back_after
from playground.model.clock_changes import change_between
from playground.model.ranking import in_question

if TYPE_CHECKING:
    from playground.engine.bench_messages import Confirm
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.measurement import ClockSource

CHUNK = 50
"""Rounds between two looks at whether the ranking is clear."""
RETRIES = 3
"""So often rounds under another clock are timed again; then they are kept, and that is said."""


def confirmed(session: Session, launch: int, order: Confirm, job: Job) -> Confirmed:
    """Time the configs of `order` round by round, each round in an order of its own.

    All run on the same memory; a result that is wrong after the timing is told. A config that is
    clearly behind leaves after the least number of rounds.
    """
    wrong = _found_wrong(session, launch, order.configs, job)
    configs = tuple(config for config in order.configs if config not in dict(wrong))
    if not configs:
        return Confirmed((), (), None, wrong)
    with session.guarded(job), contextlib.ExitStack() as stack:
        works: list[Work] = []
        for config in configs:
            prepared = stack.enter_context(put_back_after(session.prepare(launch, config)))
            prepared.restore()
            prepared.run()
            works.append(sampling.work_of(prepared, order.cache, screening.must_restore(prepared)))
        found = _Rounds(works, order)
        timing.warm_up(works[0], 0.1, job)
        found.time()
        timing.stay_busy()
    wrong += tuple(
        (config, "its result was wrong when it was looked at again after timing")
        for config in configs
        if not _still_right(session, launch, config, job)
    )
    return Confirmed(configs, tuple(map(tuple, found.times_ms)), found.source, wrong, found.notes)


class _Rounds:
    """The times by config, one a round as long as it is in question, and their clock."""

    def __init__(self, works: list[Work], order: Confirm) -> None:
        self._works = works
        self._order = order
        self._turn = random.Random(0)
        self._again = 0
        self.times_ms: list[list[float]] = [[] for _ in works]
        self.source: ClockSource | None = _clock_for(works)
        self.notes: tuple[str, ...] = ()

    def time(self) -> None:
        """Go on until the ranking is clear, or the rounds or the time are used up."""
        began = time.perf_counter()
        left = list(range(len(self._works)))
        before = clock_state()
        done, first = 0, True
        while done < self._order.most:
            times = self._chunk(left, first=first)
            after = clock_state()
            change = change_between(before, after)
            before, first = after, False
            if change and self._again < RETRIES:
                self._again += 1
                continue
            if change:
                self._note(f"{change} while the finalists were timed; they ran in turns, all alike")
            for index in left:
                self.times_ms[index] += times[index]
            done += CHUNK
            spent = time.perf_counter() - began
            if spent > self._order.seconds * (1 - 0.5 * CHUNK / done):
                break
            if done >= self._order.least:
                open_ones = in_question([self.times_ms[index] for index in left])
                left = [left[place] for place in open_ones]
                if len(left) < 2:
                    break

    def _chunk(self, left: list[int], *, first: bool) -> dict[int, list[float]]:
        turns = [index for _ in range(CHUNK) for index in self._turn.sample(left, len(left))]
        # The first rounds after a pause run fast; they are no part of the ranking.
        dropped = left * (sampling.DROPPED if first else 1)
        timed = choice.turns(self._works, [*dropped, *turns], self.source)
        self.source = timed.source
        if timed.note:
            self._note(timed.note)
        found: dict[int, list[float]] = {index: [] for index in left}
        for index, duration in zip(turns, timed.times_ms[len(dropped) :], strict=True):
            found[index].append(duration)
        return found

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes = (*self.notes, text)


def _clock_for(works: list[Work]) -> ClockSource | None:
    """Return event pairs where all run long enough for them, as while screening.

    A CUPTI session costs a second when it is a process's first, and reading its records much more
    than the launches themselves.
    """
    if choice.asked() is not None:
        return None
    shortest = min(min(events.sample(Work(work.launch), 3)) for work in works)
    return "events" if shortest >= sampling.EVENTS_FROM_MS else None


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
