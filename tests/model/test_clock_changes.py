"""What counts as another clock between two moments."""

from __future__ import annotations

from playground.model.clock_changes import change_between
from playground.model.measurement import ClockState


def at(mhz: int | None, throttle: str = "") -> ClockState:
    return ClockState(sm_clock_mhz=mhz, throttle=throttle)


def test_a_clock_that_moves_and_heat_that_begins_are_told() -> None:
    assert change_between(at(1980), at(1950)) == ""
    assert change_between(at(1980), at(1755)) == "the SM clock went from 1980 to 1755 MHz"
    capped = change_between(at(1980), at(1500, "power cap"))
    assert capped == "the SM clock went from 1980 to 1500 MHz (power cap)"
    hot = change_between(at(1980), at(1970, "power cap, thermal slowdown"))
    assert hot == "the GPU was held back (thermal slowdown)"


def test_what_held_before_or_cannot_be_read_is_no_change() -> None:
    assert change_between(at(1500, "power cap"), at(1510, "power cap")) == ""
    assert change_between(at(1900), at(1890, "power cap")) == ""
    assert change_between(at(1200, "thermal slowdown"), at(1200, "thermal slowdown")) == ""
    assert change_between(at(None), at(1980)) == change_between(ClockState(), ClockState()) == ""
