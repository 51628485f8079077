"""What the advisor says of one crippled kernel and of its twin, and what its first try gains."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.engine.advisor.table import Case

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.advice import Advisory, Try

BUDGET_MS = 80.0
"""Of a comparison. The gains looked for are of per cents, not of tenths of one."""
FLOOR = 0.005
"""Taken for the noise floor: measuring one takes as long as all else that is timed here."""
GAIN = 1.02
"""A try gains where the whole interval of its comparison lies above this."""


@dataclass
class Row:
    """One kernel: what was said of it and of its twin, and what the try gained.

    Times are in ms; `seconds` by part of the work.
    """

    name: str
    cause: str
    first: str = ""
    others: list[str] = field(default_factory=list)
    time_ms: float | None = None
    floor_ms: float | None = None
    twin: list[str] = field(default_factory=list)
    twin_gains: list[float] = field(default_factory=list)
    twin_ms: float | None = None
    twin_floor_ms: float | None = None
    attempt: str = ""
    expected: float | None = None
    gain: float | None = None
    low: float | None = None
    note: str = ""
    twin_note: str = ""
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def named(self) -> bool:
        """Whether the planted cause comes first."""
        return self.first == self.cause

    @property
    def silent(self) -> bool:
        """Whether nothing is said of the twin."""
        return not self.twin and not self.twin_note

    @property
    def gains(self) -> bool:
        """Whether the try really gains."""
        return self.low is not None and self.low > GAIN


HEAD = (
    f"{'kernel':<21} {'planted':<17} {'named':<17} {'ms':>7} {'roof':>7} {'expected':>8} "
    f"{'measured':>8} gain {'twin ms':>7} {'roof':>7} twin; try; other advice; notes; seconds"
)


def line(row: Row) -> str:
    """Return a row of the table."""
    twin = "silent" if row.silent else ", ".join(
        f"{cause} {gain:.2f}" for cause, gain in zip(row.twin, row.twin_gains, strict=True)
    )  # fmt: skip
    seconds = " ".join(f"{part} {value:.1f}" for part, value in row.seconds.items())
    told = [twin, row.attempt[:48], ", ".join(row.others), f"{row.note} {row.twin_note}".strip()]
    return (
        f"{row.name:<21} {row.cause:<17} {'first' if row.named else row.first or '-':<17} "
        f"{_short(row.time_ms)} {_short(row.floor_ms)} {_factor(row.expected)} "
        f"{_factor(row.gain)} {'yes' if row.gains else 'no':<4} {_short(row.twin_ms)} "
        f"{_short(row.twin_floor_ms)} {'; '.join([*told, seconds])}"
    )


def totals(rows: list[Row]) -> str:
    """Return the sums of a table."""
    count = len(rows)
    return (
        f"named first {sum(row.named for row in rows)} of {count}, "
        f"twins silent {sum(row.silent for row in rows)} of {count}, "
        f"gains {sum(row.gains for row in rows)} of {count}"
    )


def _short(value: float | None) -> str:
    return f"{value:>7.4f}" if value is not None else f"{'-':>7}"


def _factor(value: float | None) -> str:
    return f"{value:>8.2f}" if value else f"{'-':>8}"


# ------------------------------------------------------------------- one kernel


def measured(session: Session, case: Case, *, small: bool = False) -> Row:
    """Return what is said of a case, and what its first try gains; failures are told in the row.

    With `small` at the sizes for the interpreter, where nothing is timed.
    """
    row = Row(case.name, case.cause)
    try:
        advisory = _advised(session, case, case.text(), row, "", small)
        row.time_ms, row.floor_ms = advisory.time_ms, advisory.floor_ms
        first = advisory.first
        if first is not None:
            row.first = first.cause
            row.others = [item.cause for item in advisory.items if item is not first]
            row.expected = first.gain.factor if first.gain is not None else None
            if first.tries:
                _tried(session, first.tries[0], row)
    except Exception as error:  # one case's failure is its own
        row.note = f"{type(error).__name__}: {error}"
    try:
        twin = _advised(session, case, case.twin_text(), row, "twin ", small)
        row.twin_ms, row.twin_floor_ms = twin.time_ms, twin.floor_ms
        row.twin = [item.cause for item in twin.items]
        row.twin_gains = [item.gain.factor if item.gain is not None else 1.0 for item in twin.items]
    except Exception as error:
        row.twin_note = f"twin: {type(error).__name__}: {error}"
    return row


def _advised(
    session: Session, case: Case, text: str, row: Row, which: str, small: bool
) -> Advisory:  # fmt: skip
    started = time.perf_counter()
    session.load(case.path, text)
    session.run(sizes=case.small if small else None)
    if not session.launches:
        raise RuntimeError(session.findings[0].message if session.findings else "no launch")
    ran = time.perf_counter()
    found = session.advise()
    row.seconds[f"{which}run"] = ran - started
    row.seconds[f"{which}advice"] = time.perf_counter() - ran
    return found


def _tried(session: Session, attempt: Try, row: Row) -> None:
    started = time.perf_counter()
    session.kept.floors[(0, "cold")] = FLOOR
    result = session.try_advice(attempt, budget_ms=BUDGET_MS)
    row.attempt, row.gain, row.note = attempt.label, result.gain, result.note
    if result.comparison is not None:
        row.low = 1 / result.comparison.high
    row.seconds["try"] = time.perf_counter() - started
