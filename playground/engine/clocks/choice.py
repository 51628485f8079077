"""Which clock times this process's launches: the one asked for, else the best there is.

CUPTI lets one reader at a time hold its records in a process, so the choice is the process's:
torch's profiler where this torch has it, Proton (Triton's own profiler) where it has not. Where
neither gives records, pairs of events time turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine.clocks import cupti, events, proton
from playground.engine.clocks.work import NoRecordsError
from playground.engine.findings import is_fatal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.clocks.work import Work
    from playground.model.measurement import ClockSource

_asked: ClockSource | None = None


@dataclass(frozen=True)
class Turns:
    """The kernel time in ms of each turn, its clock, and why it is not a better one."""

    times_ms: list[float]
    source: ClockSource
    note: str = ""


def ask_for(source: ClockSource | None) -> None:
    """Time with `source` from now on; None chooses by what this machine has."""
    global _asked
    _asked = source


def asked() -> ClockSource | None:
    """Return the clock that was asked for, or None."""
    return _asked


def reader() -> ClockSource:
    """Return which of the two readers of kernel records is used: `cupti` or `proton`."""
    if _asked in ("cupti", "proton"):
        return _asked
    return "cupti" if cupti.available() else "proton"


def sample(work: Work, count: int, kernel: str) -> list[float]:
    """Return the durations in ms of `count` launches of one kernel, from the hardware's records.

    Raises
    ------
    NoRecordsError
        The reader gave no usable records.
    """
    if reader() == "proton":
        return proton.sample(work, count, kernel)
    return cupti.sample(work, count, kernel)


def recorded(works: Sequence[Work], order: Sequence[int]) -> list[float]:
    """Return the kernel time in ms of each turn, from the hardware's records.

    Raises
    ------
    NoRecordsError
        The reader gave no usable records, or what is timed launches no kernel.
    """
    return proton.turns(works, order) if reader() == "proton" else cupti.turns(works, order)


def turns(works: Sequence[Work], order: Sequence[int], source: ClockSource | None = None) -> Turns:
    """Return the time of each turn: `works[order[0]]`, `works[order[1]]` and so on.

    `source` keeps to the clock of earlier turns. Where the records fail, event pairs are taken,
    with a note; not where a reader was asked for.

    Raises
    ------
    NoRecordsError
        The reader that was asked for gave no usable records.
    """
    if "events" in (source, _asked):
        return Turns(events.turns(works, order), "events")
    try:
        return Turns(recorded(works, order), reader())
    except (NoRecordsError, RuntimeError) as error:
        if is_fatal(error) or _asked == reader():
            raise
        note = f"no kernel records ({error}); event pairs, launch gaps included"
        return Turns(events.turns(works, order), "events", note)
