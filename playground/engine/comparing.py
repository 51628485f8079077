"""Timing two things in turns, so that what disturbs one disturbs the other."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from playground.engine import sampling, timing
from playground.engine.clocks import choice, events
from playground.engine.clocks.work import NoRecordsError, Work
from playground.model.comparison import Comparison, compared
from playground.model.statistics import median

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.job import Job
    from playground.model.comparison import Verdict
    from playground.model.measurement import CacheMode, ClockSource

CHUNK_MS = 100.0
"""Measuring time between two looks at the verdict."""
MOST_ROUNDS = 4000


class NotTimedError(RuntimeError):
    """There is nothing to time here; the message says why, and `hint` what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


NEEDS_A_GPU = "time it on a machine with an NVIDIA GPU; all that needs no clock is done here too"


@dataclass(eq=False)
class Contestant:
    """One side of a comparison: how it is called, what is timed, and what to undo at the end.

    `bytes_unique` are those that one launch of a kernel moves, None where they were not counted.
    """

    label: str
    work: Work
    close: Callable[[], None] = field(default=lambda: None)
    bytes_unique: int | None = None


def compare(
    a: Contestant,
    b: Contestant,
    *,
    cache: CacheMode,
    budget_ms: float,
    job: Job,
    floor: float = 0.0,
    more: Comparison | None = None,
    seed: int = 0,
) -> Comparison:
    """Time `a` and `b` round by round, each round in random order, until it is clear or time is up.

    Parameters
    ----------
    budget_ms
        Measuring time, kernels and what is between them.
    floor
        Relative difference under which nothing is claimed.
    more
        An earlier comparison of the same two: its rounds are kept and new ones added.

    Returns
    -------
    Comparison
        Of all rounds; the interval allows for every look that was taken, and planned.
    """
    started = time.perf_counter()
    works = (a.work, b.work)
    each_ms = sum(_estimate_ms(work) for work in works)
    timing.warm_up(a.work, each_ms / 2, job)
    rounds = min(max(int(budget_ms / each_ms), sampling.MINIMUM_SAMPLES), MOST_ROUNDS)
    chunk = max(int(CHUNK_MS / each_ms), sampling.MINIMUM_SAMPLES)
    earlier = more.looks if more is not None else 0
    looks = earlier + max(1, round(rounds / chunk))
    kept = (list(more.a_ms), list(more.b_ms)) if more is not None else ([], [])
    notes = more.notes if more is not None else ()
    source: ClockSource = choice.reader()
    order = random.Random(seed + len(kept[0]))
    done, looked = 0, earlier
    verdict: Verdict = "unsure"
    while done < rounds and (verdict == "unsure" or not done):
        count = rounds - done
        count = chunk if count > 1.5 * chunk else count
        turns = [index for _ in range(count) for index in order.sample((0, 1), 2)]
        # The first rounds after a pause run fast; they are no part of the comparison.
        dropped = [0, 1] * (sampling.DROPPED if not done else 1)
        timed = choice.turns(works, [*dropped, *turns], source)
        source = timed.source
        if timed.note and timed.note not in notes:
            notes = (*notes, timed.note)
        for index, duration in zip(turns, timed.times_ms[len(dropped) :], strict=True):
            kept[index].append(duration)
        done += count
        looked += 1
        ratio, low, high, verdict = compared(*kept, floor=floor, looks=max(looks, looked))
        job.progress(f"{a.label} against {b.label}: {verdict}", min(done / rounds, 1.0))
        job.check()
    timing.stay_busy()
    return Comparison(
        a=a.label,
        b=b.label,
        a_ms=tuple(kept[0]),
        b_ms=tuple(kept[1]),
        ratio=ratio,
        low=low,
        high=high,
        verdict=verdict,
        source=source,
        cache=cache,
        floor=floor,
        looks=looked,
        elapsed_ms=(time.perf_counter() - started) * 1e3,
        notes=notes,
    )


def expression_work(run: Callable[[], object], cache: CacheMode) -> Work:
    """Return an expression as something to time; it is run once, so that it is compiled and warm.

    Raises
    ------
    NotTimedError
        It puts no work on the GPU.
    """
    run()
    torch.cuda.synchronize()
    work = Work(run, sampling.evict if cache == "cold" else None)
    try:
        choice.recorded([work], [0])
    except NoRecordsError as error:
        if "launches no kernel" in str(error):
            raise NotTimedError("the expression runs nothing on the GPU") from error
    return work


def _estimate_ms(work: Work) -> float:
    work.perform()
    torch.cuda.synchronize()
    return max(median(events.sample(Work(work.perform), 3)), 1e-3)
