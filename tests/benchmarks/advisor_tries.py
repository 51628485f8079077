"""What the advisor says of kernels crippled by one cause each, and what its tries gain.

`python -m tests.benchmarks.advisor_tries [NAME ...]`: for every kernel of `tests/engine/advisor`
its planted cause, what is named first, whether its tuned twin is left alone, and what the try that
comes first gains in a paired comparison. Needs an NVIDIA GPU; takes about two minutes.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from playground.engine.session import Session
from tests.engine.advisor.table import CASES, Case

BUDGET_MS = 150.0
GAIN = 1.02
"""A try gains where the whole interval of its comparison lies above this."""


@dataclass
class Row:
    """One kernel: what was said of it and of its twin, and what the try gained."""

    case: Case
    first: str = ""
    others: tuple[str, ...] = ()
    twin: tuple[str, ...] = ()
    twin_gains: tuple[float, ...] = ()
    attempt: str = ""
    expected: float | None = None
    gain: float | None = None
    low: float | None = None
    note: str = ""
    seconds: float = 0.0

    @property
    def named(self) -> bool:
        """Whether the planted cause comes first."""
        return self.first == self.case.cause

    @property
    def silent(self) -> bool:
        """Whether nothing is said of the twin."""
        return not self.twin and "twin" not in self.note

    @property
    def gains(self) -> bool:
        """Whether the try really gains."""
        return self.low is not None and self.low > GAIN


def measured(session: Session, case: Case) -> Row:
    """Return what is said of a case, and what its first try gains; failures are told in the row."""
    started = time.perf_counter()
    row = Row(case)
    try:
        session.load(case.path, case.text())
        session.run()
        advisory = session.advise()
        first = advisory.first
        if first is not None:
            row.first = first.cause
            row.others = tuple(item.cause for item in advisory.items if item is not first)
            row.expected = first.gain.factor if first.gain is not None else None
            if first.tries:
                row.attempt = first.tries[0].label
                result = session.try_advice(first.tries[0], budget_ms=BUDGET_MS)
                row.gain, row.note = result.gain, result.note
                if result.comparison is not None:
                    row.low = 1 / result.comparison.high
    except Exception as error:  # one case's failure is its own
        row.note = f"{type(error).__name__}: {error}"
    try:
        session.load(case.path, case.twin_text())
        session.run()
        twin = session.advise()
        row.twin = tuple(item.cause for item in twin.items)
        row.twin_gains = tuple(
            item.gain.factor if item.gain is not None else 1.0 for item in twin.items
        )
    except Exception as error:
        row.note += f" twin: {type(error).__name__}: {error}"
    row.seconds = time.perf_counter() - started
    return row


def line(row: Row) -> str:
    """Return a row of the table."""
    twin = "silent" if row.silent else ", ".join(
        f"{cause} {gain:.2f}" for cause, gain in zip(row.twin, row.twin_gains, strict=True)
    )  # fmt: skip
    expected = f"{row.expected:.2f}" if row.expected else "-"
    gain = f"{row.gain:.2f}" if row.gain else "-"
    named = "first" if row.named else row.first or "-"
    return (
        f"{row.case.name:<22} {row.case.cause:<18} {named:<18} {twin:<22} {expected:>8} {gain:>8} "
        f"{'yes' if row.gains else 'no':<4} {row.seconds:5.1f} s"
        f"  {row.attempt[:48]}  {', '.join(row.others)}  {row.note[:80]}"
    )


def main(names: list[str]) -> None:
    """Print the table, a row as soon as it is known, and the sums."""
    session = Session()
    if session.device.mode != "gpu":
        print("needs an NVIDIA GPU")
        return
    print(f"{session.device.name}, triton {session.device.triton}, torch {session.device.torch}")
    print(
        f"{'kernel':<22} {'planted':<18} {'named':<18} {'twin':<22} {'expected':>8} {'measured':>8}"
        f" gain  time  try; other advice; notes"
    )
    rows = []
    try:
        for case in CASES:
            if names and case.name not in names:
                continue
            rows.append(measured(session, case))
            print(line(rows[-1]), flush=True)
    finally:
        session.close()
    print(
        f"{len(rows)} kernels: named first {sum(row.named for row in rows)}, twin silent "
        f"{sum(row.silent for row in rows)}, tries that gain {sum(row.gains for row in rows)}; "
        f"{sum(row.seconds for row in rows):.0f} s"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
