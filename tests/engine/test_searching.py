"""The searches on a space whose every time is known: valid, never twice, and near the best."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from statistics import median

import pytest

from playground.engine.searching import search_for
from playground.model.config import Config
from playground.model.constraints import parse_constraint
from playground.model.search import heaviest_first
from playground.model.sweep_plan import Strategy, SweepPlan, chosen_strategy
from playground.model.sweep_space import SweepSpace
from tests.sweep_tables import Table, packed, read, synthetic

needs_optuna = pytest.mark.skipif(
    importlib.util.find_spec("optuna") is None, reason="Optuna is not installed"
)
ALL = ["exhaustive", "random", "climb", pytest.param("tpe", marks=needs_optuna)]


def searched(table: Table, strategy: Strategy, most: int, seed: int = 0) -> list[float]:
    start = next(table.space.valid())
    plan = SweepPlan(table.space, strategy, most=most, seed=seed, start=start)
    return table.replay(search_for(plan, timed=True)[0])


@pytest.mark.parametrize("strategy", ALL)
def test_every_config_is_valid_and_asked_for_once(strategy: Strategy) -> None:
    whole = synthetic()
    names = [name for name, _ in whole.space.axes]
    condition = parse_constraint("BLOCK_M * BLOCK_N <= 4096", names)
    space = SweepSpace(whole.space.axes, (condition,))
    plan = SweepPlan(space, strategy, most=60, start=next(space.valid()))
    search, _ = search_for(plan, timed=True)
    seen: list[Config] = []
    while configs := search.ask(8):
        assert len(configs) <= 8
        for config in configs:
            search.tell(config, whole.times_ms[config])
        seen += configs
    assert len(seen) == len(set(seen)) == 60
    assert not any(space.violation(config) for config in seen)


@pytest.mark.parametrize("strategy", ALL)
def test_a_small_space_is_gone_through_to_its_end(strategy: Strategy) -> None:
    space = SweepSpace((("A", (1, 2, 4)), ("B", (1, 2))))
    table = Table("small", space, dict.fromkeys(space.combinations(), 1.0))
    assert len(searched(table, strategy, most=50)) == 6


@needs_optuna
def test_tpe_comes_within_two_per_cent_in_100_configs() -> None:
    ratios = [searched(synthetic(1), "tpe", 100, seed)[-1] for seed in range(3)]
    assert median(ratios) <= 1.02


def test_a_climb_gets_better_than_where_it_began() -> None:
    curve = searched(synthetic(), "climb", 150)
    assert curve[-1] < 1.1 < curve[0]


def test_what_takes_long_to_compile_goes_first_and_the_rest_keeps_its_order() -> None:
    small, wide, deep, split = (
        Config.of({"BLOCK": block, "num_stages": stages, "num_warps": warps, "num_ctas": 1})
        for block, stages, warps in ((64, 2, 4), (256, 4, 4), (256, 3, 8), (128, 2, 8))
    )
    assert heaviest_first([small, deep, split, wide], 2) == [deep, wide, small, split]
    assert heaviest_first([small], 9) == [small]
    # The GPU gets what is compiled soonest, and only then the compiler what takes it longest.
    assert heaviest_first([small, deep, split, wide], 2, 1) == [small, deep, wide, split]
    assert heaviest_first([small, wide], 2, 1) == [small, wide]  # all of them are heavy
    assert heaviest_first([small], 9, 4) == [small]


@needs_optuna
def test_failures_everywhere_do_not_end_a_search() -> None:
    space = synthetic().space
    table = Table("bad", space, dict.fromkeys(space.combinations()))
    table.times_ms[next(space.valid())] = 1.0
    assert len(searched(table, "tpe", most=40)) == 40


def test_auto_takes_all_up_to_500_and_searches_only_by_times() -> None:
    plan = SweepPlan(SweepSpace((("A", tuple(range(600))),)))
    assert chosen_strategy(plan, 500, timed=True) == "exhaustive"
    assert chosen_strategy(plan, 501, timed=True) == "tpe"
    assert chosen_strategy(plan, 501, timed=False) == "random"


def test_a_recorded_sweep_is_read_as_it_was_written(tmp_path: Path) -> None:
    condition = parse_constraint("A != 4 or B == 1", ("A", "B"))
    space = SweepSpace((("A", (1, 2, 4)), ("B", (1, 2))), (condition,))
    times = {
        Config.of({"A": a, "B": b}): time_ms
        for a, b, time_ms in ((1, 1, 0.123456), (1, 2, None), (2, 1, 3.0), (4, 1, 7.5e-3))
    }
    path = tmp_path / "small.json"
    path.write_text(packed({"device": "made up"}, space, times))
    table = read(path)
    assert table.space.count().valid == space.count().valid == 5
    assert {c: t for c, t in table.times_ms.items() if t is not None} == {
        Config.of({"A": 1, "B": 1}): 0.1235, Config.of({"A": 2, "B": 1}): 3.0,
        Config.of({"A": 4, "B": 1}): 7.5e-3,
    }  # fmt: skip
