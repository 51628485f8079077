from dataclasses import replace

import pytest

from playground.model.config import Config
from playground.model.coverage import Coverage, flop_kind
from playground.model.measurement import Measurement
from playground.model.roofline import Ceilings, duration, expected, standing
from playground.model.targets import facts_for

CONFIG = Config.of({"BLOCK": 64})
CEILINGS = Ceilings("a GPU", 4000.0, (("fp16", 800.0),), True, "measured", launch_ms=0.001)


def counted(unique: int, flops: tuple[tuple[str, int], ...] = ()) -> Coverage:
    total = sum(count for _, count in flops)
    return Coverage(
        0, CONFIG, (1, 1, 1), (), unique, unique, total, (), "gpu", 1.0, flops_by_kind=flops
    )


def timed(median_ms: float, cache="cold") -> Measurement:
    return Measurement(0, CONFIG, (median_ms,) * 3, "cupti", cache)


def test_a_copy_is_bound_by_memory():
    # 4e9 bytes at 4000 GB/s are one millisecond.
    found = standing(counted(4_000_000_000), CEILINGS, timed(1.25))
    assert (found.bound, found.floor_ms) == ("memory", pytest.approx(1.0))
    assert found.share == pytest.approx(0.8)
    assert found.gbps == pytest.approx(3200)
    assert "80% of the roof" in found.text()
    assert "tl.dot" in found.notes[0]


def test_a_product_is_bound_by_arithmetic():
    # 2 * 4096**3 operations at 800 TFLOP/s; three matrices of 2 bytes an element.
    flops = 2 * 4096**3
    found = standing(counted(3 * 2 * 4096**2, (("fp16", flops),)), CEILINGS, timed(0.2))
    assert found.bound == "arithmetic"
    assert found.floor_ms == pytest.approx(flops / 800e9)
    assert found.intensity == pytest.approx(4096 / 3)
    assert found.tflops == pytest.approx(flops / 0.2e9)


def test_the_smallest_launch_is_bound_by_launching():
    found = standing(counted(1000), CEILINGS)
    assert (found.bound, found.floor_ms, found.share) == ("launch", 0.001, None)
    assert found.text() == "bound by the launch itself: at least 1 µs"


def test_a_floor_of_nanoseconds_keeps_its_figures():
    # 4000 bytes at 2039 GB/s.
    found = standing(counted(4000), Ceilings("a GPU", 2039.0, (), False, "its data sheet"))
    assert found.text() == "bound by device memory: at least 1.96 ns"
    assert [duration(ms) for ms in (0.0009996, 0.0123456, 1.5, 2500.0)] == [
        "1 µs", "12.3 µs", "1.5 ms", "2500 ms",
    ]  # fmt: skip


def test_an_unknown_rate_bounds_nothing_and_is_said():
    found = standing(counted(1 << 20, (("fp8", 10**12),)), replace(CEILINGS, launch_ms=None))
    assert found.bound == "memory"
    assert "fp8" in found.notes[0]


def test_warm_times_and_interpreted_ones_are_told_apart():
    assert "warm" in standing(counted(1 << 30), CEILINGS, timed(0.1, "warm")).notes[-1]
    interpreted = Measurement(0, CONFIG, (5.0,), "interpreter", "none")
    assert standing(counted(1 << 30), CEILINGS, interpreted).share is None


def test_a_data_sheet_is_expected_not_measured():
    gpu = facts_for("cuda:90", "NVIDIA H200")
    assert gpu is not None
    sheet = expected(gpu)
    assert not sheet.measured
    assert sheet.copy_gbps == gpu.bandwidth_gbps
    assert "datasheet" in sheet.source.lower()
    assert sheet.rate("fp16") == gpu.peak("fp16")


def test_products_are_named_as_rates_are():
    assert flop_kind("fp32", "INPUT_PRECISION.TF32") == "tf32"
    assert flop_kind("fp32", "ieee") == "fp32"
    assert flop_kind("fp32", "BF16x3") == "bf16"
    assert flop_kind("fp8e4nv", "tf32") == "fp8"
    assert flop_kind("uint8", "") == "int8"
    assert flop_kind("bf16", "tf32") == "bf16"
