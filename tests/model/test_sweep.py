"""A sweep's space, its best row, and what other small values say in words."""

from __future__ import annotations

import pytest

from playground.model.check import CheckResult
from playground.model.config import Config
from playground.model.coverage import AccessCount, Coverage, TensorCoverage
from playground.model.device import DeviceInfo
from playground.model.finding import Finding
from playground.model.knobs import constexpr_knob, option_knob
from playground.model.launch import Argument, Launch, TensorInfo
from playground.model.sweep import SweepResult, SweepRow, space

KNOBS = (constexpr_knob("B", 64), option_knob("num_warps", 4), constexpr_knob("F", object()))


def test_the_space_is_every_combination_once() -> None:
    around = Config.of({"B": 64, "num_warps": 4})
    plain = space(KNOBS, around)
    assert len(plain) == len(set(plain)) == 5 * 4
    assert around in plain
    chosen = space(KNOBS, around, {"B": (32, 64), "num_warps": (1,)})
    assert [config.as_dict() for config in chosen] == [
        {"B": 32, "num_warps": 1}, {"B": 64, "num_warps": 1},
    ]  # fmt: skip


def test_a_fast_wrong_config_never_wins() -> None:
    def row(block: int, status: str, time_ms: float | None) -> SweepRow:
        return SweepRow(Config.of({"B": block}), status, median_ms=time_ms)  # type: ignore[arg-type]

    rows = (row(1, "wrong", 0.1), row(2, "correct", 2.0), row(3, "correct", 1.0),
            row(4, "unjudged", 0.2), row(5, "correct", None))  # fmt: skip
    result = SweepResult(0, "cuda:90", rows, 5, False, 1.0)
    assert result.best is rows[2]
    assert SweepResult(0, "cuda:90", rows[:1], 1, False, 1.0).best is None


def test_verdicts_in_words() -> None:
    assert CheckResult("correct", "reference", max_abs_error=0.5).text() == (
        "correct against the reference (max error 0.5)"
    )
    assert CheckResult("unjudged", "none", note="no luck").text() == "not judged: no luck"
    wrong = CheckResult("wrong", "captured", "o", mismatches=3, elements=9, first_index=(1, 2))
    assert wrong.text() == (
        "wrong: 3 of 9 elements of o differ from the captured result, first at [1, 2]"
    )


def test_a_finding_in_one_line() -> None:
    full = Finding("error", "compile", "bad", "do this", "k.py", 3)
    assert full.text() == "k.py:3: error (compile): bad - do this"
    assert Finding("hint", "check", "odd", file="k.py").text() == "k.py: hint (check): odd"
    assert Finding("info", "engine", "up").text() == "info (engine): up"


def test_a_launch_knows_its_parts() -> None:
    info = TensorInfo((3, 4), "float32", (4, 1), 4, 0, 0, 48, 16, "cpu")
    launch = Launch(
        0, "k", "k.py", 1, None, (2, 3, 4), "fixed",
        (Argument("x", "tensor", "float32[3, 4]", info), Argument("n", "int", "3")),
        KNOBS, Config(),
    )  # fmt: skip
    assert info.elements == 12
    assert launch.programs == 24
    assert [argument.name for argument in launch.tensors()] == ["x"]
    assert launch.knob("B").kind == "pow2"
    with pytest.raises(KeyError):
        launch.knob("C")


def test_coverage_by_tensor_and_the_badge() -> None:
    count = AccessCount(1, 1, 1)
    tensor = TensorCoverage("x", (1,), "float32", 1, count, count, 0, 0, 0)
    coverage = Coverage(0, Config(), (1, 1, 1), (tensor,), 8, 8, 0, (), "interpreter", 1.0)
    assert coverage.tensor("x") is tensor
    with pytest.raises(KeyError):
        coverage.tensor("y")
    versions = {"torch": "2", "triton": "3", "python": "3.11"}
    assert DeviceInfo("gpu", "NVIDIA H200", "cuda:90", **versions).badge() == "NVIDIA H200"
    assert DeviceInfo("interpreter", "none", "cuda:90", **versions).badge() == (
        "interpreter: no GPU timings"
    )
