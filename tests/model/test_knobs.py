"""Which knob a constexpr or option becomes, what it takes, and how it steps."""

from __future__ import annotations

import pytest

from playground.model import knobs
from playground.model.knobs import (
    OPTION_KNOBS,
    Knob,
    KnobError,
    constexpr_knob,
    is_taken,
    option_knob,
    step,
    validate,
)


def test_options_that_a_target_takes():
    taken = {
        target: [name for name in OPTION_KNOBS if is_taken(name, target)]
        for target in ("cuda:90", "cuda:86", "hip:gfx942")
    }
    assert taken == {
        "cuda:90": ["num_warps", "num_stages", "num_ctas", "maxnreg"],
        "cuda:86": ["num_warps", "num_stages", "maxnreg"],
        "hip:gfx942": ["num_warps", "num_stages"],
    }


@pytest.mark.parametrize(
    ("value", "kind", "choices"),
    [
        (1024, "pow2", ()), (2, "pow2", ()), (1, "int", ()), (0, "int", ()), (-3, "int", ()),
        (96, "int", ()), (True, "bool", (False, True)), (False, "bool", (False, True)),
        ("ieee", "choice", ("ieee",)), ("tl.float16", "choice", knobs.DTYPE_NAMES),
        (0.5, "choice", (0.5,)), (None, "fixed", ()), ((1, 2), "fixed", ()),
    ],
)  # fmt: skip
def test_kind_of_a_constexpr(value: object, kind: str, choices: tuple[object, ...]) -> None:
    knob = constexpr_knob("B", value)
    assert (knob.kind, knob.choices, knob.origin) == (kind, choices, "constexpr")
    if kind != "fixed":
        assert validate(knob, knob.default) == value


def test_powers_of_two_are_asked_for_and_neighbours_offered() -> None:
    knob = constexpr_knob("BLOCK", 128)
    assert validate(knob, 1 << 20) == 1 << 20
    with pytest.raises(KnobError, match=r"try 128 or 256.*mask"):
        validate(knob, 200)
    with pytest.raises(KnobError, match="at least 1"):
        validate(knob, 0)
    with pytest.raises(KnobError, match="whole number"):
        validate(knob, 64.0)
    with pytest.raises(KnobError, match="whole number"):
        validate(knob, True)
    with pytest.raises(KnobError, match="at most 32"):
        validate(option_knob("num_warps", 4), 64)
    with pytest.raises(KnobError, match=r"try 2 or 4$"):
        validate(option_knob("num_warps", 4), 3)


def test_choices_stay_open_to_their_own_type() -> None:
    assert validate(constexpr_knob("P", "ieee"), "tf32") == "tf32"
    assert validate(constexpr_knob("F", True), 0) is False
    assert validate(option_knob("maxnreg", None), 128) == 128
    assert validate(option_knob("maxnreg", None), None) is None
    with pytest.raises(KnobError, match="one of"):
        validate(constexpr_knob("P", "ieee"), 3)
    with pytest.raises(KnobError, match="true or false"):
        validate(constexpr_knob("F", True), 2)
    with pytest.raises(KnobError, match="cannot be moved"):
        validate(constexpr_knob("G", None), 1)


def test_a_limit_of_registers_is_any_number_ptxas_takes() -> None:
    knob = option_knob("maxnreg", 40)
    assert [validate(knob, value) for value in (None, 40, 58, 255)] == [None, 40, 58, 255]
    assert [step(knob, 40, -1), step(knob, 40, 1), step(knob, 58, 1)] == [32, 64, 64]
    assert validate(option_knob("maxnreg", 8), 8) == 8
    for value, said in ((15, "at least 16"), (256, "at most 255"), ("58", "whole number"),
                        (True, "whole number or one of none, 32")):  # fmt: skip
        with pytest.raises(KnobError, match=said):
            validate(knob, value)


def test_options_have_defaults_and_only_known_names() -> None:
    assert [option_knob(name, None).default for name in knobs.OPTION_KNOBS] == [4, 3, 1, None]
    assert option_knob("num_stages", 5).default == 5
    with pytest.raises(KnobError, match="num_warps, num_stages"):
        option_knob("num_wraps", 4)


def test_steps_stay_inside() -> None:
    block, stages = constexpr_knob("B", 64), option_knob("num_stages", 3)
    assert [step(block, 64, 1), step(block, 64, -1), step(block, 1, -1)] == [128, 32, 1]
    assert step(block, 1 << 20, 1) == 1 << 20
    assert [step(stages, 3, 1), step(stages, 1, -1), step(stages, 8, 1)] == [4, 1, 8]
    flag = constexpr_knob("F", False)
    assert [step(flag, False, 1), step(flag, False, -1), step(flag, True, 1)] == [True, False, True]
    registers = option_knob("maxnreg", None)
    assert step(registers, None, 1) == 32
    assert step(registers, 255, 1) == 255
    assert step(constexpr_knob("G", None), None, 1) is None


def test_sweeps_try_a_few_steps_and_leave_the_rest() -> None:
    assert knobs.sweep_values(constexpr_knob("B", 64), 64) == (16, 32, 64, 128, 256)
    assert knobs.sweep_values(constexpr_knob("B", 2), 2) == (1, 2, 4, 8)
    assert knobs.sweep_values(constexpr_knob("N", 5), 5) == (4, 5, 6)
    assert knobs.sweep_values(option_knob("num_warps", 4), 4) == (2, 4, 8, 16)
    assert knobs.sweep_values(option_knob("num_ctas", 1), 1) == (1,)
    assert knobs.sweep_values(constexpr_knob("F", True), True) == (False, True)
    assert knobs.sweep_values(constexpr_knob("P", "ieee"), "ieee") == ("ieee",)
    derived = constexpr_knob("B", 64).marked_derived("rows have 50 columns")
    assert derived.derived
    assert knobs.sweep_values(derived, 64) == (64,)


def test_powers_of_two() -> None:
    assert [n for n in range(-4, 20) if knobs.is_power_of_two(n)] == [1, 2, 4, 8, 16]
    assert Knob("B", "int", "constexpr", 1, minimum=None, maximum=None) == Knob(
        "B", "int", "constexpr", 1
    )


def test_nan_is_no_value_of_a_config():
    # NaN equals nothing: a result could not be told to be of the config that is shown.
    assert constexpr_knob("FILL", float("nan")).kind == "fixed"
    knob = constexpr_knob("FILL", float("inf"))
    assert validate(knob, float("-inf")) == float("-inf")
    with pytest.raises(KnobError, match="FILL cannot be NaN"):
        validate(knob, float("nan"))
