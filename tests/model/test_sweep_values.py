"""The values of a knob as typed: lists and ranges."""

from __future__ import annotations

import math

import pytest

from playground.model.config import Config
from playground.model.knobs import Knob, KnobError, constexpr_knob, option_knob
from playground.model.sweep_values import parse_values, values_around, values_text

BLOCK = constexpr_knob("BLOCK", 128)
STAGES = option_knob("num_stages", 3)


def test_lists_keep_their_order_and_each_value_once() -> None:
    assert parse_values(BLOCK, "64, 128,64 ") == (64, 128)
    assert parse_values(constexpr_knob("EVEN", True), "true, 0") == (True, False)
    assert parse_values(constexpr_knob("D", "tl.float16"), "tl.float32") == ("tl.float32",)
    assert parse_values(option_knob("maxnreg", None), "none, 128") == (None, 128)
    assert parse_values(BLOCK, "2**6, 1<<8, 0x20") == (64, 256, 32)


def test_ranges_double_count_or_step() -> None:
    assert parse_values(BLOCK, "16..256:pow2") == (16, 32, 64, 128, 256)
    assert parse_values(BLOCK, "17..256") == (32, 64, 128, 256)
    assert parse_values(STAGES, "1..5") == (1, 2, 3, 4, 5)
    assert parse_values(STAGES, "1..7:3, 2") == (1, 4, 7, 2)
    assert parse_values(option_knob("maxnreg", None), "none, 64..128:32") == (None, 64, 96, 128)


@pytest.mark.parametrize(
    ("knob", "text", "why"),
    [
        (BLOCK, "x", "whole number"),
        (BLOCK, "100", "power of two"),
        (BLOCK, "", "at least one"),
        (BLOCK, "4 8", "by commas: 4, 8"),
        (BLOCK, "64;128", "by commas: 64, 128"),
        (BLOCK, "64..", "write LOW..HIGH"),
        (BLOCK, "16...64", "write LOW..HIGH"),
        (BLOCK, "64.5", "whole number"),
        (BLOCK, "-64", "at least 1"),
        (BLOCK, "[]", "at least one"),
        (BLOCK, "256..16", "write 16..256"),
        (BLOCK, "17..31", "no power of two"),
        (STAGES, "1..4:0", "above 0 or pow2"),
        (STAGES, "1..9", "at most 8"),
        (constexpr_knob("N", 7), "-3000..3000", "more than 1024|at least"),
    ],
)
def test_what_cannot_be_read_is_said(knob: Knob, text: str, why: str) -> None:
    with pytest.raises(KnobError, match=why):
        parse_values(knob, text)


def test_a_list_may_be_written_as_python_has_it() -> None:
    assert parse_values(BLOCK, "[64, 128]") == parse_values(BLOCK, "(64,128,)") == (64, 128)


def test_text_and_values_go_both_ways() -> None:
    for knob, text in ((BLOCK, "16, 64"), (option_knob("maxnreg", None), "none, 128"),
                       (constexpr_knob("E", True), "true, false")):  # fmt: skip
        assert values_text(parse_values(knob, text)) == text


def test_the_default_space_of_a_sweep_is_bounded() -> None:
    names = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M", "num_warps", "num_stages")
    knobs = tuple(
        Knob(name, "int" if name == "num_stages" else "pow2", "constexpr", value)
        for name, value in zip(names, (64, 64, 32, 8, 4, 3), strict=True)
    )
    config = Config(tuple((knob.name, knob.default) for knob in knobs))
    values = values_around(knobs, config, 500)
    assert 250 < math.prod(map(len, values.values())) <= 500
    assert all(config[name] in options for name, options in values.items())
    assert values_around(knobs[:1], config, 500)["BLOCK_M"] == (16, 32, 64, 128, 256)
