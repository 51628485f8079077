"""Whether a sweep's winner is within noise of the best of an exhaustive, long measurement.

Every correct config that a long measurement might still find to be the best is measured for 300 ms.
The best of many medians is best partly by luck, so it is not held against the winner by those:
the two are timed once more, in random turns, and it is the paired interval that decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.engine.job import Job

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.sweep import SweepResult

LONG_MS = 300.0
WITHIN = 1.3
"""A config whose short timing was so many times the winner's is no candidate any more."""


def verified(session: Session, result: SweepResult) -> dict[str, Any]:
    """Return what the long measurement says of a sweep's winner; `met` is the verdict."""
    best = result.best
    if best is None:
        return {"met": False, "verdict": "the sweep has no winner"}
    candidates = [
        row.config
        for row in result.rows
        if row.status == "correct" and row.median_ms and row.median_ms < WITHIN * best.median_ms
    ]
    medians = {
        config: session.measure(0, config, LONG_MS, "cold", Job()).median_ms
        for config in candidates
    }
    first = min(medians, key=medians.__getitem__)
    told = {
        "candidates": len(candidates), "winner": best.config.label(), "best": first.label(),
        "winner_ms": medians[best.config], "best_ms": medians[first],
    }  # fmt: skip
    if first == best.config:
        return told | {"met": True, "verdict": "the winner is the best of the long measurement"}
    # In turns, measured on until the interval says something or has been looked at four times.
    found = session.compare(0, best.config, first)
    for _ in range(3):
        if found.verdict != "unsure":
            break
        found = session.compare(0, best.config, first, more=found)
    return told | {
        "ratio": found.ratio, "low": found.low, "high": found.high, "floor": found.floor,
        "rounds": found.rounds, "met": found.verdict in ("same", "faster"),
        "verdict": found.text(),
    }  # fmt: skip


def text(told: dict[str, Any]) -> str:
    """Return the verdict in a few lines."""
    lines = []
    if "best" in told:
        lines.append(
            f"at length ({told['candidates']} configs, {LONG_MS:g} ms each): winner "
            f"{told['winner_ms']:.4f} ms, best {told['best_ms']:.4f} ms ({told['best']})"
        )
    lines.append(told["verdict"])
    lines.append(f"winner within noise of the best: {'met' if told['met'] else 'MISSED'}")
    return "\n".join(lines)
