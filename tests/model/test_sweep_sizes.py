"""What is best for all problem sizes, from times that are given."""

from __future__ import annotations

import pytest

from playground.model.config import Config
from playground.model.sweep import SweepResult, SweepRow
from playground.model.sweep_sizes import SizedSweep, across

A, B, C, WRONG = (Config.of({"B": block}) for block in (1, 2, 3, 4))


def sized(size: int, times: dict[Config, float | None]) -> SizedSweep:
    rows = tuple(
        SweepRow(config, "correct" if time else "runtime", median_ms=time)
        for config, time in times.items()
    )
    bad = SweepRow(WRONG, "wrong", median_ms=0.1)
    return SizedSweep((("m", size),), SweepResult(0, "cuda:90", (*rows, bad), 4, False, 1.0))


def test_mean_and_worst_case_choose_differently() -> None:
    # Losses: A 1.0 and 2.0; B 1.3 and 1.2; C is right at one size only.
    found = across([sized(1, {A: 1.0, B: 1.3, C: 1.1}), sized(2, {A: 2.0, B: 1.2, C: None}),
                    sized(3, {A: 1.0, B: 1.5, C: 1.1}), sized(4, {A: 1.0, B: 1.5})])  # fmt: skip
    assert found.by_mean is not None
    assert found.by_worst is not None
    assert found.by_mean.config == A
    assert found.by_mean.mean == pytest.approx((2.0 / 1.2) ** (1 / 4))
    assert found.by_mean.worst == ((("m", 2),), pytest.approx(2.0 / 1.2))
    assert found.by_worst.config == B
    assert [loss for _, loss in found.by_worst.losses] == pytest.approx([1.3, 1.0, 1.5, 1.5])


def test_nothing_common_is_no_compromise() -> None:
    assert across([sized(1, {A: 1.0}), sized(2, {B: 1.0})]).by_mean is None
    assert across([sized(1, {A: None})]).by_worst is None
    assert across([]).by_mean is None
