"""Ties, winners and margins of finalists whose true times are known."""

from __future__ import annotations

import random

from playground.model.config import Config
from playground.model.ranking import in_question, ranked
from playground.model.screening import is_hopeless, is_known_well_enough


def config(warps: int, stages: int = 3) -> Config:
    return Config.of({"num_warps": warps, "num_stages": stages})


def rounds(times_ms: dict[Config, float], count: int = 200, noise: float = 0.003):
    """Return times whose disturbance is common to a round, beside a little noise of their own."""
    source = random.Random(3)
    found: dict[Config, list[float]] = {one: [] for one in times_ms}
    for _ in range(count):
        common = 1 + abs(source.gauss(0, 0.05))
        for one, time_ms in times_ms.items():
            found[one].append(time_ms * common * (1 + source.gauss(0, noise)))
    return found


def test_what_is_clearly_slower_is_a_group_of_its_own_with_a_margin() -> None:
    fast, slow, slowest = config(4), config(8), config(2)
    ranking = ranked(rounds({slow: 1.1, fast: 1.0, slowest: 1.5}), {})
    assert ranking.groups == ((fast,), (slow,), (slowest,))
    assert ranking.winner == fast
    assert [ranking.place(one) for one in (fast, slow, slowest, config(16))] == [1, 2, 3, None]
    assert ranking.margin is not None
    assert ranking.margin.rival == slow
    assert ranking.margin.low < 1.1 < ranking.margin.high
    assert ranking.margin.high - ranking.margin.low < 0.01  # common disturbance cancels in a round
    assert "ahead of num_warps=8" in ranking.margin.text()


def test_equals_are_tied_and_the_one_that_needs_least_leads() -> None:
    many, few, near = config(8), config(2), config(1)
    ranking = ranked(rounds({many: 1.0, few: 1.0, near: 1.015}), {})
    assert set(ranking.groups[0]) == {many, few, near}
    assert ranking.winner == few  # not `near`: it is within 2 %, and measurably slower
    assert ranking.margin is None
    one, other = config(4, 2), config(4, 4)
    assert ranked(rounds({other: 1.0, one: 1.0}), {}).winner == one
    alike, less = Config.of({"B": 1}), Config.of({"B": 2})
    shared = {alike: 4096, less: 1024}
    assert ranked(rounds({alike: 1.0, less: 1.0}), shared).winner == less


def test_what_is_clear_is_in_question_no_more() -> None:
    assert in_question(list(rounds({config(1): 1.0, config(2): 1.2}).values())) == ()
    unsure = rounds({config(1): 1.0, config(2): 1.01, config(4): 1.5}, 30, 0.05)
    assert in_question(list(unsure.values())) == (0, 1)
    assert in_question([[1.0, 2.0]]) == ()


def test_one_that_left_early_is_ranked_by_the_rounds_it_was_in() -> None:
    told = rounds({config(1): 1.0, config(2): 1.1, config(4): 1.03}, 200)
    told[config(2)] = told[config(2)][:100]
    ranking = ranked(told, {})
    assert ranking.groups == ((config(1),), (config(4),), (config(2),))


def test_timing_ends_early_for_what_has_no_chance() -> None:
    assert is_hopeless([1.6] * 10, 1.0)
    assert not is_hopeless([1.6] * 9, 1.0)
    assert not is_hopeless([1.4] * 10, 1.0)
    assert not is_hopeless([9.0] * 10, None)
    assert is_known_well_enough([1.2] * 20, 1.0)
    assert not is_known_well_enough([1.05] * 20, 1.0)
    assert is_known_well_enough([1.05] * 50, 1.0)
