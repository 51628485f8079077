"""Verdicts from figures made by hand: each rule's three outcomes, and where it draws its line."""

from __future__ import annotations

import pytest

from playground.model import experiment_rules as rules
from playground.model.experiment import ExperimentResult, Figures, Machine, Verdict
from playground.model.experiments import EXPERIMENTS, named, verdict


def ratios(column: str, *values: float | None) -> Figures:
    return Figures(("case", column), tuple((f"c{i}", value) for i, value in enumerate(values)))


@pytest.mark.parametrize(
    ("rule", "column", "limit"),
    [
        (rules.persistent, "times faster", 2.0),
        (rules.tma, "times faster", 1.4),
        (rules.libraries, "share of the library", 0.9),
        (rules.compile_time, "first over cached", 100.0),
        (rules.fixed_config, "tuned over frozen", 1.1),
    ],
)
def test_a_ratio_is_judged_case_by_case_at_its_limit(rule, column: str, limit: float) -> None:
    under = limit * 0.999
    assert rule(ratios(column, limit, limit * 3)).kind == "holds"
    assert rule(ratios(column, under, limit)).kind == "holds only when"
    assert rule(ratios(column, under, under)).kind == "does not hold here"
    assert rule(ratios(column, None)).kind == "not measured"
    assert rule(ratios(column, under, limit)).text.startswith("c1 ")


def over(axis: str, *cases: tuple[str, dict[float, float]]) -> Figures:
    rows = [(name, at, time) for name, times in cases for at, time in times.items()]
    return Figures(("case", axis, "time (us)"), tuple(rows))


def test_a_block_within_two_per_cent_of_the_best_is_as_good() -> None:
    near = {64: 3.0, 128: 1.02, 256: 1.5, 512: 1.0}
    far = {64: 3.0, 128: 1.03, 256: 1.5, 512: 1.0}
    assert rules.block_size(over("BLOCK_SIZE", ("a", near))).kind == "holds"
    assert rules.block_size(over("BLOCK_SIZE", ("a", near), ("b", far))) == Verdict(
        "holds only when",
        "a - there a block of 128 or 256 is as fast as the fastest; elsewhere not "
        "(b: best at 512, +3% with the rule's)",
    )
    assert rules.block_size(over("BLOCK_SIZE", ("b", far))).kind == "does not hold here"


def test_a_grid_of_four_to_eight_is_inside_the_rule_and_nothing_else() -> None:
    axis = "programs a multiprocessor"
    times = {2.0: 1.5, 3.0: 1.2, 4.0: 1.1, 8.0: 1.0, 12.0: 1.3}
    assert rules.grid_size(over(axis, ("a", times))).kind == "holds"
    assert rules.grid_size(over(axis, ("a", {**times, 12.0: 0.9}))).kind == "does not hold here"
    # With nothing to compare with, or nothing of the rule's, there is no case.
    assert rules.grid_size(over(axis, ("a", {4.0: 1.0, 8.0: 1.0}))).kind == "not measured"


def test_stages_must_be_best_at_three_or_four_and_worse_after() -> None:
    good = {1.0: 4.0, 2.0: 2.0, 3.0: 1.0, 4.0: 1.01, 5.0: 1.1}
    flat = {1.0: 4.0, 2.0: 2.0, 3.0: 1.0, 4.0: 1.0, 5.0: 1.0}
    short = {1.0: 4.0, 2.0: 2.0, 3.0: 1.0, 4.0: 1.0}
    late = {3.0: 1.2, 4.0: 1.1, 5.0: 1.0}
    judged = [
        rules.num_stages(over("num_stages", ("a", t))).kind for t in (good, flat, short, late)
    ]
    assert judged == ["holds", "does not hold here", "holds", "does not hold here"]


def test_hints_must_start_low_and_end_high() -> None:
    columns = ("case", "without (% of copy)", "with hints (% of copy)")

    def kind(without: float, having: float) -> str:
        return rules.hints(Figures(columns, (("a", without, having),))).kind

    assert kind(60.0, 90.0) == "holds"
    assert kind(75.0, 85.0) == "holds"
    assert kind(90.0, 92.0) == "does not hold here"
    assert kind(60.0, 80.0) == "does not hold here"


def test_zero_copy_needs_the_address_and_neither_copies_nor_allocations() -> None:
    columns = ("case", "same address", "copies", "allocated (bytes)", "host time (us)")

    def kind(*cells: float) -> str:
        return rules.zero_copy(Figures(columns, (("a", *cells),))).kind

    assert kind(1.0, 0.0, 0.0, 9.0) == "holds"
    assert kind(0.0, 0.0, 0.0, 9.0) == "does not hold here"
    assert kind(1.0, 1.0, 0.0, 9.0) == "does not hold here"
    assert kind(1.0, 0.0, 512.0, 9.0) == "does not hold here"


def test_every_experiment_is_named_once_and_draws_columns_of_its_own() -> None:
    names = [item.name for item in EXPERIMENTS]
    assert len(set(names)) == len(names) == 10
    for item in EXPERIMENTS:
        assert named(item.name) is item
        assert item.judged.startswith("Holds ")
    with pytest.raises(KeyError):
        named("folklore")


def test_figures_of_another_version_are_not_judged() -> None:
    machine = Machine("GPU", 1, 1.0)
    figures = ratios("times faster", 9.0)
    now = ExperimentResult("tma", named("tma").version, figures, machine, "2026-11-30", 1.0)
    old = ExperimentResult("tma", named("tma").version + 1, figures, machine, "2026-11-30", 1.0)
    assert verdict(now).kind == "holds"
    assert verdict(old).kind == "not measured"
