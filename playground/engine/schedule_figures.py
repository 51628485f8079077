"""Figures of a schedule, worked out from three numbers a program: nothing here needs a GPU.

`multiprocessor`, `start_ns` and `end_ns` are arrays over the linear program ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playground.model.schedule import Schedule

if TYPE_CHECKING:
    from playground.model.config import Config

    Integers = np.ndarray[Any, np.dtype[Any]]


def most_resident(multiprocessor: Integers, start_ns: Integers, end_ns: Integers) -> int:
    """Return the most programs that one multiprocessor ran at the same time.

    A program that starts in the timer step in which another ends has taken its place.
    """
    events, change = _events(multiprocessor, start_ns, end_ns)
    # Starts and ends of one multiprocessor cancel, so one running sum serves all of them.
    return int(np.cumsum(change[events]).max(initial=0))


def busy_ns(
    multiprocessor: Integers, start_ns: Integers, end_ns: Integers
) -> tuple[Integers, Integers]:
    """Return the multiprocessors that ran anything, and how long each ran at least one program."""
    events, change = _events(multiprocessor, start_ns, end_ns)
    times = np.concatenate([start_ns, end_ns])[events].astype(np.int64)
    owners = np.concatenate([multiprocessor, multiprocessor])[events]
    running = np.cumsum(change[events])
    # From an event to the next one at least one program runs wherever the sum is above zero.
    spans = np.where(running[:-1] > 0, times[1:] - times[:-1], 0)
    used, place = np.unique(owners, return_inverse=True)
    return used, np.bincount(place[:-1], weights=spans, minlength=len(used)).astype(np.int64)


def _events(
    multiprocessor: Integers, start_ns: Integers, end_ns: Integers
) -> tuple[Integers, Integers]:
    """Return the order of all starts and ends (by multiprocessor, time), and each one's change.

    At one time ends come first, except that a program never ends before its own start.
    """
    later = np.maximum(end_ns, start_ns + 1)
    times = np.concatenate([start_ns, later])
    change = np.concatenate([np.ones(len(start_ns), np.int64), -np.ones(len(end_ns), np.int64)])
    owners = np.concatenate([multiprocessor, multiprocessor])
    return np.lexsort((change, times, owners)), change


def tail_ns(multiprocessor: Integers, end_ns: Integers) -> int:
    """Return the time from the first multiprocessor running dry to the end of the launch.

    Only multiprocessors that ran a program can run dry.
    """
    _, place = np.unique(multiprocessor, return_inverse=True)
    last = np.full(int(place.max()) + 1, np.iinfo(np.int64).min)
    np.maximum.at(last, place, end_ns)
    return int(last.max() - last.min())


def timer_step_ns(start_ns: Integers, end_ns: Integers) -> int:
    """Return the step in which the timer advances, as far as the stamps tell."""
    steps = np.diff(np.sort(np.concatenate([start_ns, end_ns])))
    steps = steps[steps > 0]
    if not steps.size:
        return 1
    common = int(np.gcd.reduce(steps))
    # A step that is no whole number of ns (31.25) shows as 31 and 32, which have no common part.
    return common if common > 1 else int(steps.min())


def busy_share(
    multiprocessor: Integers, start_ns: Integers, end_ns: Integers, multiprocessors: int
) -> float:
    """Return the share in [0, 1] of multiprocessor time in which at least one program ran."""
    duration = int(end_ns.max() - start_ns.min())
    if duration <= 0:
        return len(np.unique(multiprocessor)) / multiprocessors
    _, busy = busy_ns(multiprocessor, start_ns, end_ns)
    return min(float(busy.sum()) / (multiprocessors * duration), 1.0)


def figures(
    multiprocessor: Integers,
    start_ns: Integers,
    end_ns: Integers,
    *,
    launch: int,
    config: Config,
    grid: tuple[int, int, int],
    multiprocessors: int,
    resident_theoretical: int | None,
    notes: tuple[str, ...] = (),
) -> Schedule:
    """Return the figures of a schedule of one program or more.

    Parameters
    ----------
    multiprocessor, start_ns, end_ns : (programs,) integers
        Per linear program id. Times may count from anywhere.
    multiprocessors
        How many the GPU has.
    resident_theoretical
        How many programs a multiprocessor can hold, None where unknown.
    """
    took = np.sort(end_ns - start_ns)
    resident = most_resident(multiprocessor, start_ns, end_ns)
    x, y, z = grid
    return Schedule(
        launch=launch,
        config=config,
        grid=grid,
        multiprocessors=multiprocessors,
        used=len(np.unique(multiprocessor)),
        duration_ns=int(end_ns.max() - start_ns.min()),
        shortest_ns=int(took[0]),
        median_ns=int(np.median(took)),
        longest_ns=int(took[-1]),
        resident=resident,
        resident_theoretical=resident_theoretical,
        waves=x * y * z / (multiprocessors * resident),
        tail_ns=tail_ns(multiprocessor, end_ns),
        idle_share=1 - busy_share(multiprocessor, start_ns, end_ns, multiprocessors),
        resolution_ns=timer_step_ns(start_ns, end_ns),
        notes=notes,
    )
