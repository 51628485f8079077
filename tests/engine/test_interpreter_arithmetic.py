"""bfloat16, float8 and float16 in the interpreter against torch's own, bit by bit where defined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from playground.engine.triton_private import interpreter_formats as formats
from playground.engine.triton_private.interpreter_arithmetic import judgeable
from tests.engine.interpreted import run_cases, value_of

TORCH = {
    "bf16": torch.bfloat16,
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5": torch.float8_e5m2,
    "fp8e4b8": torch.float8_e4m3fnuz,
    "fp8e5b16": torch.float8_e5m2fnuz,
}


def bits_of(tensor: torch.Tensor) -> np.ndarray:
    if tensor.itemsize == 2:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    return tensor.view(torch.uint8).numpy()


@pytest.mark.parametrize("name", TORCH)
def test_every_code_has_torchs_value(name):
    dtype = TORCH[name]
    if dtype.itemsize == 2:
        codes = torch.arange(65536).to(torch.int16).view(dtype)
    else:
        codes = torch.arange(256).to(torch.uint8).view(dtype)
    wide = formats.widen(bits_of(codes), name)
    np.testing.assert_array_equal(wide, codes.float().numpy())
    # And back: every value that is not NaN gives its own code.
    numbers = ~np.isnan(wide)
    finite = np.isfinite(wide) if name != "bf16" else numbers  # float8 saturates infinities
    np.testing.assert_array_equal(formats.narrow(wide, name)[finite], bits_of(codes)[finite])
    assert np.isnan(formats.widen(formats.narrow(wide, name), name))[~numbers].all()


@pytest.mark.parametrize("name", TORCH)
def test_rounding_agrees_with_torch_for_every_size_of_number(name):
    generator = torch.Generator().manual_seed(0)
    anything = torch.randint(-(2**31), 2**31, (200_000,), dtype=torch.int64, generator=generator)
    values = anything.to(torch.int32).view(torch.float32)
    powers = torch.exp2(torch.randint(-20, 17, (200_000,), generator=generator).float())
    usual = torch.randn(200_000, generator=generator) * powers
    halves = torch.arange(65536).to(torch.int16).view(torch.float16).float()  # many exact ties
    values = torch.cat([values, usual, halves])
    dtype = TORCH[name]
    within = ~values.isnan()
    if dtype.itemsize == 1:
        within &= values.abs() <= torch.finfo(dtype).max
    got = formats.narrow(values.numpy(), name)[within.numpy()]
    np.testing.assert_array_equal(got, bits_of(values[within].to(dtype)))


@pytest.mark.parametrize("name", [name for name in TORCH if name != "bf16"])
def test_float8_saturates(name):
    largest = torch.finfo(TORCH[name]).max
    far = np.array([1e5, -1e5, np.inf, -np.inf, largest * 1.04], dtype=np.float32)
    got = formats.widen(formats.narrow(far, name), name)
    np.testing.assert_array_equal(got, [largest, -largest, largest, -largest, largest])


def test_types_that_can_be_judged():
    good = ["float32", "torch.bfloat16", "bf16", "float8_e4m3fn", "fp8e5", "int8", "bool", "uint64"]
    assert all(judgeable(name) for name in good)
    assert not any(judgeable(name) for name in ["fp8e4b15", "float8_e8m0fnu", "complex64"])


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    outcomes = run_cases("small_floats")
    value: dict[str, Any] = value_of(outcomes, "small_floats")
    return value


def test_bfloat16_operations_comparisons_and_choices(found):
    wrong = {op: text for op, text in found["bfloat16"].items() if text is not True}
    assert not wrong


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_reductions(found, dtype):
    wrong = {op: text for op, text in found["reductions"][dtype].items() if text is not True}
    assert not wrong


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"])
def test_scans_products_and_constants(found, dtype):
    wrong = {op: text for op, text in found["more"][dtype].items() if text is not True}
    assert not wrong


def test_casts_both_ways(found):
    wrong = {op: text for op, text in found["casts"].items() if text is not True}
    assert not wrong
    assert len(found["casts"]) == 3 * 7 + 2


def test_overflow_infinities_and_nan_as_the_gpus_conversions_treat_them(found):
    small = ["0.0", "-0.0"]
    extremes = found["extremes"]
    assert extremes["float8_e4m3fn"] == ["448.0", "-448.0"] * 2 + ["nan", *small, "0.0"]
    assert extremes["float8_e5m2"] == ["57344.0", "-57344.0"] * 2 + ["nan", *small, "0.0"]
    assert extremes["float16"][:5] == ["inf", "-inf", "inf", "-inf", "nan"]
    assert extremes["bfloat16"][2:5] == ["inf", "-inf", "nan"]
    assert extremes["float to int"] == [2**31 - 1, -(2**31), 0, 1, -1, 2**31 - 1, 0, 7]


def test_ties_go_to_even_and_rounding_towards_zero_is_possible(found):
    extremes = found["extremes"]
    # float8 e4m3 steps by 1/8 at 1 and by 2 at 16; bfloat16 by 1/128 at 1.
    assert extremes["float8_e4m3fn ties"][:6] == [1.0, 1.25, 16.0, 20.0, -1.0, -1.25]
    assert extremes["float8_e4m3fn toward zero"][:6] == [1.0, 1.125, 16.0, 18.0, -1.0, -1.125]
    assert extremes["bfloat16 ties"][6:] == [1.0, 1.015625]
    assert extremes["bfloat16 toward zero"][6:] == [1.0, 1.0078125]
    assert extremes["float16 toward zero"] == 1.0


def test_bfloat16_in_memory(found):
    assert found["memory"]["atomic_add"] == [2.0, 4.0, 8.0, 16.0]
    assert found["memory"]["sorted"]
