"""Whether the GPU's clock was the same before and after something was timed."""

from __future__ import annotations

from playground.model.measurement import ClockState

CLOCK_MOVED = 0.05
"""Relative change of the SM clock from which what was timed in between is two populations."""
_BOUND = frozenset({"power cap", "sync boost"})
"""Reasons that hold all through a heavy load, and change no ranking by themselves."""


def change_between(before: ClockState, after: ClockState) -> str:
    """Return what happened to the clock between two moments, empty where nothing did.

    A slowdown by heat or by the board's power that has begun counts whatever the clock says, a
    power cap only by the clock it leads to.
    """
    begun = [
        reason
        for reason in filter(None, after.throttle.split(", "))
        if reason not in before.throttle.split(", ") and reason not in _BOUND
    ]
    if begun:
        return f"the GPU was held back ({', '.join(begun)})"
    one, other = before.sm_clock_mhz, after.sm_clock_mhz
    if not one or not other or abs(other / one - 1) <= CLOCK_MOVED:
        return ""
    why = f" ({after.throttle})" if after.throttle else ""
    return f"the SM clock went from {one} to {other} MHz{why}"
