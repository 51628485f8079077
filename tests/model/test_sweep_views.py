"""What a sweep's views draw, with right values from arithmetic."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from playground.model.config import Config
from playground.model.constraints import ConstraintError
from playground.model.importance import explained, importance
from playground.model.sweep import SweepResult, SweepRow
from playground.model.sweep_filter import row_filter
from playground.model.sweep_sizes import SizedSweep, compromises
from playground.model.sweep_views import (
    comparable,
    convergence,
    fastest,
    grid,
    knob_values,
    varying,
)


def row(block: int, warps: int, ms: float | None, stages: int = 3, **more: object) -> SweepRow:
    values = {"BLOCK": block, "num_warps": warps, "num_stages": stages}
    status = "correct" if ms is not None else "wrong"
    return SweepRow(Config.of(values), more.pop("status", status), median_ms=ms, **more)


def test_a_cell_has_the_best_over_the_rest_or_that_of_a_slice() -> None:
    rows = [row(64, 8, 3.0), row(64, 4, 2.0, 2), row(64, 4, 1.0, 4), row(128, 4, None, 2)]
    found = grid(rows, "BLOCK", "num_warps")
    assert (found.xs, found.ys) == ((64, 128), (4, 8))
    first = found.cells[0][0]
    assert (first.time_ms, first.configs, first.right) == (1.0, 2, 2)
    assert found.cells[0][1].time_ms is None
    assert found.cells[0][1].best is rows[3]
    assert found.cells[1][1].best is None
    assert grid(rows, "BLOCK", "num_warps", {"num_stages": 2}).cells[0][0].time_ms == 2.0


def test_a_wrong_config_is_never_the_best_of_a_cell() -> None:
    rows = [row(64, 4, 0.1, 2, status="wrong"), row(64, 4, 5.0, 3)]
    assert grid(rows, "BLOCK", "num_warps").cells[0][0].best is rows[1]
    assert fastest(rows) is rows[1]


def test_knobs_that_never_move_are_left_out() -> None:
    rows = [row(64, 4, 1.0), row(128, 4, 1.0)]
    assert varying(rows) == ("BLOCK",)
    assert varying(rows[:1]) == ("BLOCK", "num_warps", "num_stages")
    flags = [SweepRow(Config.of({"A": value}), "correct") for value in (True, 1, None, 2)]
    assert knob_values(flags)["A"][0] is None
    assert len(knob_values(flags)["A"]) == 4  # True and 1 are two values


def test_the_best_so_far_falls_in_the_order_measured() -> None:
    rows = [row(1, 4, 3.0, at_s=1.0), row(2, 4, None, at_s=1.5), row(4, 4, 4.0, at_s=2.0),
            row(8, 4, 2.0, at_s=3.0), row(16, 4, 1.97, at_s=2.5)]  # fmt: skip
    found = convergence(rows)
    assert [(p.measured, p.row.median_ms, p.at_s) for p in found.points] == [
        (1, 3.0, 1.0), (3, 1.97, 2.5),
    ]  # fmt: skip
    assert found.measured == 4
    assert found.has_seconds
    assert found.within(0.6).measured == 1
    plain = convergence([row(1, 4, 3.0), row(8, 4, 2.0, at_s=3.0)])
    assert not plain.has_seconds
    assert len(plain.points) == 2
    assert convergence([]).within(0.1) is None


def test_a_knob_that_alone_decides_explains_all_and_the_other_nothing() -> None:
    rows = [row(block, warps, float(block)) for block in (1, 2, 4) for warps in (1, 2, 4, 8)]
    found = importance(rows)
    assert [knob.name for knob in found.knobs] == ["BLOCK", "num_warps"]
    assert found.knobs[0].share == pytest.approx(1.0)
    assert found.knobs[1].share == 0.0
    assert found.rest == pytest.approx(0.0)
    assert [item.loss for item in found.knobs[0].values] == [1.0, 2.0, 4.0]
    assert found.knobs[0].spread == 4.0
    assert found.configs == 12


def test_the_share_is_epsilon_squared() -> None:
    chance = random.Random(5)
    groups = [[chance.gauss(mean, 0.4) for _ in range(n)] for mean, n in ((0, 5), (1, 7), (0.3, 4))]
    values = np.concatenate([np.array(group) for group in groups])
    total = float(((values - values.mean()) ** 2).sum())
    within = float(sum(((np.array(g) - np.mean(g)) ** 2).sum() for g in groups))
    expected = (total - within - 2 * within / (len(values) - 3)) / total
    assert explained(groups) == pytest.approx(expected)
    assert explained([[1.0], [2.0]]) is None
    assert explained([[1.0, 1.0], [1.0]]) is None


def test_knobs_that_matter_only_together_share_nothing_alone() -> None:
    rows = [row(b, w, math.e if (b == 2) == (w == 2) else 1.0) for b in (1, 2) for w in (1, 2)]
    found = importance(rows)
    assert {knob.share for knob in found.knobs} == {0.0}
    assert found.rest == 1.0
    assert importance([row(1, 1, None)]).knobs == ()


def test_rows_are_chosen_by_word_or_by_condition() -> None:
    rows = [
        row(64, 4, 1.0, registers=40),
        row(128, 8, 0.5),
        row(64, 8, None, reason="Out of range"),
    ]
    names = ("BLOCK", "num_warps", "num_stages")

    def shown(text: str) -> list[int]:
        return [i for i, each in enumerate(rows) if row_filter(text, names)(each)]

    assert shown("") == [0, 1, 2]
    assert shown("wrong") == [2]
    assert shown("block=64 out") == [2]
    assert shown("BLOCK == 64 and num_warps == 4") == [0]
    assert shown("ms < 0.8") == [1]  # a row without a time meets no condition on it
    assert shown("status == 'correct'") == [0, 1]
    assert shown("registers >= 40") == [0]
    assert shown("num_warps in (8, 16)") == [1, 2]
    with pytest.raises(ConstraintError, match="column 1"):
        row_filter("BLOK == 64", names)


def test_compromises_are_sorted_by_their_geometric_mean() -> None:
    def at(size: int, *times: float) -> SizedSweep:
        rows = tuple(row(block, 4, ms) for block, ms in zip((1, 2, 4), times, strict=False))
        return SizedSweep((("m", size),), SweepResult(0, "", rows, 3, False, 1.0))

    found = compromises([at(16, 1.0, 2.0, 1.1), at(32, 4.0, 2.0, 2.4)])
    assert [item.config["BLOCK"] for item in found] == [4, 1, 2]
    assert found[0].mean == pytest.approx(math.sqrt(1.1 * 1.2))
    assert found[0].worst == ((("m", 32),), pytest.approx(1.2))
    assert compromises([]) == ()


def test_times_of_several_devices_stand_on_one_scale_or_nowhere() -> None:
    # On B everything takes twice as long; the config that both timed takes 1 ms on A, 2 ms on B.
    rows = [
        row(1, 4, 0.5, device="A", relative=0.5), row(2, 4, 0.8, device="B", relative=0.4),
        row(4, 4, 0.1, device="C"), row(8, 4, None, device="B"),
    ]  # fmt: skip
    found = comparable(rows)
    # The fastest is the one on B: 0.8 ms there, so 0.5 of the common config is 1.0 ms on B.
    assert [one.median_ms for one in found] == [pytest.approx(1.0), pytest.approx(0.8), None, None]
    alone = [row(1, 4, 0.5, device="A"), row(2, 4, 0.8, device="A")]
    assert comparable(alone) == alone
