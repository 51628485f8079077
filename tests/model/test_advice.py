"""Advice: edits of lines, gains under the roof, what comes first, and results in words."""

import pytest

from playground.model.advice import (
    Advice,
    Advisory,
    ExpectedGain,
    LineEdit,
    StaleTryError,
    Try,
    TryResult,
    amount,
    capped,
    edited,
    gained,
    line_edits,
    try_label,
)
from playground.model.comparison import Comparison
from playground.model.config import Config

TEXT = "a\nb\nc\nd\n"


def compared(ratio, low, high, verdict):
    return Comparison("new", "old", (1.0,), (1.0,), ratio, low, high, verdict, "cupti", "cold")


def advisory(*items):
    return Advisory(0, Config.of({}), "k", "cuda:90", items, ())


@pytest.mark.parametrize("after", ["a\nB\nc\nd\n", "a\nc\nd\n", "x\na\nb\nb2\nc\n", TEXT])
def test_a_text_and_its_line_edits_give_the_other_text(after):
    assert edited(TEXT, line_edits(TEXT, after)) == after


def test_an_edit_names_its_lines_from_one():
    assert line_edits(TEXT, "a\nB\nc\nd\n") == (LineEdit(2, ("b",), ("B",)),)


def test_a_text_that_was_edited_since_is_refused():
    with pytest.raises(StaleTryError, match="line 2 was edited"):
        edited("a\nzz\nc\nd\n", line_edits(TEXT, "a\nB\nc\nd\n"))


def test_no_gain_goes_through_the_roof():
    gain = capped(ExpectedGain(4.0, "bytes"), time_ms=3.0, floor_ms=2.0)
    assert gain.factor == 1.5
    assert gain.saved_ms == pytest.approx(1.0)
    assert "the roof allows no more than 1.5" in gain.formula


def test_a_gain_below_the_roof_stays():
    gain = capped(ExpectedGain(2.0, "bytes"), time_ms=4.0, floor_ms=1.0)
    assert (gain.factor, gain.saved_ms) == (2.0, 2.0)


def test_a_slip_comes_first_then_what_promises_most():
    small = Advice("memory access", "a", "", "", gain=ExpectedGain(1.2, ""))
    large = Advice("instructions", "b", "", "", gain=ExpectedGain(3.0, ""))
    slip = Advice("slips", "c", "", "")
    assert advisory(small, large).first is large
    assert advisory(small, large, slip).first is slip
    assert advisory().first is None


@pytest.mark.parametrize(
    ("comparison", "said"),
    [
        (compared(0.5, 0.48, 0.52, "faster"), "2 × faster (95 % interval 1.92 to 2.08)"),
        (compared(2.0, 1.9, 2.1, "slower"), "2 × slower (95 % interval 1.9 to 2.1)"),
        (compared(1.0, 0.99, 1.01, "same"), "no difference (1.000 ×"),
        (compared(1.0, 0.8, 1.2, "unsure"), "unsure: measure more (1.000 ×"),
    ],
)
def test_what_a_try_gained_is_told_as_time_before_over_time_after(comparison, said):
    assert gained(comparison).startswith(said)
    result = TryResult(Try("t"), comparison, "measured")
    assert result.gain == pytest.approx(1 / comparison.ratio)


def test_a_try_that_was_not_measured_has_no_gain():
    result = TryResult(Try("BLOCK=64"), None, "not measured", "there is no GPU here")
    assert result.gain is None
    assert result.text() == "BLOCK=64: there is no GPU here"


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (0.25, "share", "25%"),
        (16_777_216, "B", "16.8 MB"),
        (2.5e15, "FLOP", "2.5e+03 TFLOP"),
        (4096, "programs", "4,096 programs"),
        (1.5, "", "1.5"),
    ],
)
def test_figures_carry_their_unit(value, unit, said):
    assert amount(value, unit) == said


def test_a_knob_that_is_unset_has_a_name():
    assert try_label((("maxnreg", None), ("BLOCK", 64))) == "maxnreg=none BLOCK=64"
