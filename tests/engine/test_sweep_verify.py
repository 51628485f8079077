"""The verdict on a sweep's winner, on clocks made by hand: right, unlucky, and plainly wrong."""

from __future__ import annotations

import random
from types import SimpleNamespace

from playground.model.comparison import Comparison, compared
from playground.model.config import Config
from playground.model.sweep import SweepResult, SweepRow
from tests.benchmarks import sweep_verify

FIRST, SECOND, SLOW, WRONG = (Config.of({"BLOCK": size}) for size in (64, 128, 256, 512))


class FakeSession:
    """Measures what is true, but for the luck of each long measurement, and noise of 1 %."""

    def __init__(self, truth, luck=()):
        self.truth, self.luck = truth, dict(luck)
        self.measured, self.rounds = [], []
        self.source = random.Random(0)

    def measure(self, launch, config, budget_ms, cache, job):
        self.measured.append(config)
        return SimpleNamespace(median_ms=self.truth[config] * self.luck.get(config, 1.0))

    def compare(self, launch, config, against, more=None):
        pairs = [
            [self.truth[one] * (1 + self.source.gauss(0, 0.01)) for one in (config, against)]
            for _ in range(100)
        ]
        a = (*(more.a_ms if more else ()), *(pair[0] for pair in pairs))
        b = (*(more.b_ms if more else ()), *(pair[1] for pair in pairs))
        self.rounds.append(len(a))
        figures = compared(a, b, looks=len(self.rounds))
        return Comparison("winner", "best", a, b, *figures, "events", "cold")


def swept(winner=FIRST):
    rows = [
        SweepRow(config, status, median_ms=median_ms, place=1 if config == winner else 2)
        for config, status, median_ms in (
            (FIRST, "correct", 0.200), (SECOND, "correct", 0.201), (SLOW, "correct", 0.300),
            (WRONG, "wrong", 0.100),
        )
    ]  # fmt: skip
    return SweepResult(0, "cuda:90", tuple(rows), 4, False, 3.0)


def test_the_best_of_the_long_measurement_has_won():
    session = FakeSession({FIRST: 0.200, SECOND: 0.201})
    told = sweep_verify.verified(session, swept())
    assert told["met"]
    assert session.measured == [FIRST, SECOND]  # neither what is far behind nor what is wrong
    assert sweep_verify.text(told).endswith("winner within noise of the best: met")


def test_luck_of_a_long_measurement_says_nothing_against_the_winner():
    session = FakeSession({FIRST: 0.200, SECOND: 0.200}, {SECOND: 0.98})
    told = sweep_verify.verified(session, swept())
    assert told["best_ms"] < told["winner_ms"]
    assert told["met"]
    assert told["low"] < 1 < told["high"]


def test_a_winner_that_is_slower_by_more_than_noise_is_told():
    session = FakeSession({FIRST: 0.206, SECOND: 0.200})
    told = sweep_verify.verified(session, swept())
    assert not told["met"]
    assert told["low"] > 1.005
    assert "winner is slower than best" in sweep_verify.text(told)
    assert sweep_verify.text(told).endswith("MISSED")


def test_a_sweep_without_a_winner_has_missed():
    assert not sweep_verify.verified(FakeSession({}), SweepResult(0, "cuda:90", (), 0, False, 1.0))[
        "met"
    ]
