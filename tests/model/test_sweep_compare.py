"""Two sweeps side by side: right values from arithmetic."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from playground.model.config import Config
from playground.model.past_sweep import PastSweep, differences
from playground.model.sweep import SweepResult, SweepRow
from playground.model.sweep_compare import compare_sweeps, counts_text, order_kept


def config(block: int) -> Config:
    return Config.of({"BLOCK": block, "num_warps": 4})


def timed(block: int, ms: float, half: float = 0.001, *, screened: bool = False) -> SweepRow:
    low, high = ms * (1 - half), ms * (1 + half)
    return SweepRow(config(block), "correct", "", ms, low, high, screened=screened)


def swept(*rows: SweepRow) -> SweepResult:
    return SweepResult(0, "cuda:90", rows, len(rows), False, 1.0)


def test_a_config_is_judged_by_the_interval_of_its_ratio() -> None:
    before = swept(timed(16, 1.0), timed(32, 1.0), timed(64, 1.0), timed(128, 1.0, 0.05))
    after = swept(timed(16, 0.9), timed(32, 1.1), timed(64, 1.002), timed(128, 1.02))
    found = compare_sweeps(before, after)
    told = {item.config["BLOCK"]: item for item in found.changes}
    assert {block: item.change for block, item in told.items()} == {
        16: "faster", 32: "slower", 64: "same", 128: "unsure",
    }  # fmt: skip
    assert told[16].ratio == pytest.approx(0.9)
    assert told[16].low == pytest.approx(0.9 * 0.999 / 1.001)
    assert told[16].high == pytest.approx(0.9 * 1.001 / 0.999)
    # The largest change comes first: |log 0.9| > log 1.1.
    assert [item.config["BLOCK"] for item in found.changes] == [16, 32, 128, 64]
    assert found.mean == pytest.approx((0.9 * 1.1 * 1.002 * 1.02) ** 0.25)
    assert counts_text(found.changes) == "1 faster, 1 slower, 1 unsure, 1 same"


def test_a_time_cut_short_is_never_called_the_same() -> None:
    found = compare_sweeps(swept(timed(16, 1.0)), swept(timed(16, 1.0, screened=True)))
    assert found.changes[0].change == "unsure"


def test_results_that_changed_are_told_apart_from_times() -> None:
    wrong = SweepRow(config(32), "wrong", "differs")
    before = swept(timed(16, 1.0), wrong, timed(64, 1.0), SweepRow(config(8), "compile"),
                   SweepRow(config(4), "constraint"))  # fmt: skip
    after = swept(SweepRow(config(16), "runtime"), timed(32, 1.0), timed(128, 1.0),
                  SweepRow(config(8), "timeout"))  # fmt: skip
    found = {item.config["BLOCK"]: item.change for item in compare_sweeps(before, after).changes}
    assert found == {16: "broken", 32: "mended", 64: "gone", 128: "new", 8: "failed"}


def test_winner_against_winner_and_what_keeping_the_old_one_costs() -> None:
    before = swept(timed(16, 1.0), timed(32, 1.2))
    after = swept(timed(16, 1.1), timed(32, 0.8))
    winner = compare_sweeps(before, after).winner
    assert winner is not None
    assert (winner.before, winner.after) == (config(16), config(32))
    assert not winner.is_same
    assert winner.ratio == pytest.approx(0.8)
    assert winner.loss == pytest.approx(1.1 / 0.8)
    assert compare_sweeps(before, swept(SweepRow(config(16), "wrong"))).winner is None


def test_without_times_what_is_right_in_both_is_the_same() -> None:
    right = swept(SweepRow(config(16), "correct"))
    found = compare_sweeps(right, right)
    assert [item.change for item in found.changes] == ["same"]
    assert found.mean is None
    assert found.order_kept is None


def test_order_kept_counts_pairs() -> None:
    assert order_kept([(1, 1), (2, 2), (3, 3)]) == 1.0
    assert order_kept([(1, 3), (2, 2), (3, 1)]) == 0.0
    assert order_kept([(1, 1), (2, 3), (3, 2)]) == pytest.approx(2 / 3)
    assert order_kept([(1, 1)]) is None
    chance = random.Random(3)
    pairs = [(chance.randrange(5), chance.randrange(5)) for _ in range(60)]

    def sign(value: float) -> int:
        return (value > 0) - (value < 0)

    score = math.fsum(
        0.5 + 0.5 * sign(a[0] - b[0]) * sign(a[1] - b[1])
        for a, b in itertools.combinations(pairs, 2)
    )
    assert order_kept(pairs) == pytest.approx(score / math.comb(60, 2))


def test_what_two_sweeps_do_not_share_is_named() -> None:
    one = PastSweep(1, "a", "done", 0, 1, 5, 1.0, "k", code="0123456789ab", triton="3.6.0",
                    gpu="H200", sizes=(("m", 16), ("n", 8)),
                    arguments=(("a", "float16[16, 8]"), ("s", "8")))  # fmt: skip
    other = PastSweep(2, "b", "done", 0, 1, 5, 1.0, "k", code="ab0123456789", triton="3.9.0",
                      gpu="H200", sizes=(("m", 32), ("n", 8)),
                      arguments=(("a", "float16[32, 8]"), ("s", "8")))  # fmt: skip
    assert differences(one, one) == ()
    assert differences(one, other) == (
        ("code of the kernel", "01234567", "ab012345"),
        ("problem sizes", "m=16", "m=32"),
        ("arguments", "a=float16[16, 8]", "a=float16[32, 8]"),
        ("triton", "3.6.0", "3.9.0"),
    )
