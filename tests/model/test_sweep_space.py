"""The space of a sweep and its conditions; Python itself is the yardstick of what they mean."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from playground.model import search
from playground.model.config import Config
from playground.model.constraints import ConstraintError, cdiv, parse_constraint
from playground.model.knobs import constexpr_knob, option_knob
from playground.model.search import RandomSearch
from playground.model.sweep_space import SweepSpace, make_space

KNOBS = (
    constexpr_knob("BLOCK_M", 64), constexpr_knob("BLOCK_N", 64),
    option_knob("num_warps", 4), option_knob("num_stages", 3),
)  # fmt: skip
AROUND = Config.of({"BLOCK_M": 64, "BLOCK_N": 64, "num_warps": 4, "num_stages": 3})
VALUES = {"BLOCK_M": (16, 32, 64, 128), "BLOCK_N": (32, 64, 256), "num_warps": (2, 4, 8)}


def space(*where: str) -> SweepSpace:
    return make_space(KNOBS, AROUND, VALUES, where, {"M": 4096, "K": 100})


@pytest.mark.parametrize(
    "text",
    [
        "BLOCK_M * BLOCK_N <= 8192",
        "16 < BLOCK_M <= 64 and not BLOCK_N == 256",
        "BLOCK_M % BLOCK_N == 0 or num_warps in (2, 8)",
        "cdiv(M, BLOCK_M) * cdiv(K, BLOCK_N) >= 128",
        "max(BLOCK_M, BLOCK_N) // min(BLOCK_M, BLOCK_N) < 4",
        "abs(BLOCK_M - BLOCK_N) <= 32 if num_warps > 2 else BLOCK_M < 32",
        "next_power_of_2(K) >= BLOCK_M and 2 ** 6 != BLOCK_N",
        "BLOCK_M >> 4 & 1 or ~num_stages < -4 + 0 * BLOCK_M",
        "M / BLOCK_M > 40.5",
        "sum((BLOCK_M, BLOCK_N)) <= 128 and int(M / BLOCK_M) > 40 and round(BLOCK_N / 3) > 10",
        "any((BLOCK_M > 64, BLOCK_N > 64)) or all([BLOCK_M < 32, BLOCK_N < 64])",
    ],
)
def test_conditions_mean_what_python_means(text: str) -> None:
    own = space(text)
    names = {"cdiv": cdiv, "next_power_of_2": lambda n: 1 << (n - 1).bit_length(),
             "min": min, "max": max, "abs": abs, "sum": sum, "any": any, "all": all, "int": int,
             "round": round, "M": 4096, "K": 100}  # fmt: skip
    every = [
        Config.of({"BLOCK_M": m, "BLOCK_N": n, "num_warps": w, "num_stages": 3})
        for m, n, w in itertools.product(*VALUES.values())
    ]
    met = [c for c in every if eval(text, {"__builtins__": {}}, {**names, **c.as_dict()})]
    assert list(own.valid()) == met
    assert 0 < len(met) < len(every)
    count = own.count()
    assert (count.valid, count.total, count.exact) == (len(met), 36, True)
    assert own.draw(random.Random(1)) in met


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("BLOCK_M * BLOCK_X <= 8", 11, "BLOCK_X is no knob"),
        ("BLOCK_M <", 10, "something is missing at the end"),
        ("BLOCK_M <= 64 && M > 3", 15, "write and for &&"),
        ("!(BLOCK_M > 64)", 1, "write not for !"),
        ("BLOCK_M ≤ 64", 9, "write <= for ≤"),
        ("BLOCK_M == 64; M > 3", 14, "one condition a line"),
        ("M == none", 6, "none is written None"),
        ("block_m < 4", 1, "is BLOCK_M meant"),
        ("-" * 900 + "BLOCK_M > 1", 100, "inside one another"),
        ("__import__('os').system('x')", 1, "only min, max"),
        ("open('x')", 1, "only min, max"),
        ("BLOCK_M.real > 1", 1, "attributes"),
        ("triton.cdiv(M, BLOCK_M) > 1", 1, r"write cdiv\(…\)"),
        ("(lambda: 1)()", 2, "only min, max"),
        ("[i for i in (1, 2)]", 1, "ListComp is not known"),
        ("BLOCK_M = 64", 9, "write == to compare"),
        ("cdiv(M) > 1", 1, "does not take 1"),
        ("'é' == 'é' and NOPE", 16, "NOPE is no knob"),
        ("min(*BLOCK_M) > 1", 1, "plain arguments"),
        ("BLOCK_M @ 2", 1, "operator"),
        ("M < 'x'", 5, "not supported between a number and text"),
        ("   ", 1, "empty"),
    ],
)
def test_what_is_no_condition_is_refused_with_its_place(text: str, column: int, why: str) -> None:
    if not text.strip():
        with pytest.raises(ConstraintError, match=why):
            parse_constraint(text, ())
        return
    with pytest.raises(ConstraintError, match=why) as caught:
        space(text)
    assert caught.value.column == column


def test_a_condition_without_an_answer_rules_its_config_out() -> None:
    own = space("M // (BLOCK_M - 16) > 1")
    assert own.count().valid == 27
    first = next(own.combinations())
    assert "division" in own.violation(first) or "modulo" in own.violation(first)
    assert space("BLOCK_M ** 99999 > 1").count().valid == 0  # and takes no time
    assert space("(1 << 99999) > 1").count().valid == 0


def test_the_reason_shows_both_sides() -> None:
    own = space("BLOCK_M * BLOCK_N <= 8192")
    assert own.violation(AROUND) == ""
    worse = AROUND.updated({"BLOCK_M": 128, "BLOCK_N": 256})
    assert own.violation(worse) == "BLOCK_M * BLOCK_N <= 8192 is not met (32768 against 8192)"


def test_a_huge_space_is_counted_without_being_walked() -> None:
    knobs = tuple(constexpr_knob(f"B{n}", 64) for n in range(12))
    values = {knob.name: tuple(1 << power for power in range(8)) for knob in knobs}
    config = Config.of({knob.name: 64 for knob in knobs})
    started = time.perf_counter()
    own = make_space(knobs, config, values, ("B0 * B1 <= 64", "B2 == B3", "B4 < 8"))
    count = own.count()
    # Pairs of powers of two 0 to 7 whose sum is at most 6: 28; equal pairs: 8; below 2^3: 3.
    assert count.valid == 28 * 8 * 3 * 8**7
    assert count.exact
    assert count.total == 8**12
    tied = make_space(knobs, config, values, (" + ".join(values) + " < 300",))
    assert not tied.count(most_steps=20_000).exact
    assert time.perf_counter() - started < 10


def test_what_nothing_meets_is_said_and_never_looked_for_without_end(monkeypatch) -> None:
    monkeypatch.setattr(search, "_MOST_STEPS", 5_000)
    knobs = tuple(constexpr_knob(f"B{n}", 64) for n in range(9))
    values = {knob.name: tuple(1 << power for power in range(10)) for knob in knobs}
    config = Config.of({knob.name: 64 for knob in knobs})
    for where, exact in (((" + ".join(values) + " < 9",), False), (("B0 + B8 == 1",), True)):
        # Nine powers of two are 9 at least, two of them 2.
        own = make_space(knobs, config, values, where)
        count = own.count(most_steps=3_000)
        assert (count.total, count.valid, count.exact) == (10**9, 0, exact)
        assert own.draw(random.Random(1)) is None
        assert next(own.valid(3_000), None) is None
        assert RandomSearch(own, 5).ask(5) == []
    assert "was found among 1,000,000,000" in make_space(
        knobs, config, values, (" + ".join(values) + " < 9",)
    ).count(3_000).text()  # fmt: skip
    # A single one that chance never finds is found by going through them: all ones.
    one = make_space(knobs, config, values, (" + ".join(values) + " == 9",))
    assert one.count(most_steps=3_000).valid == 1
    assert [set(c.as_dict().values()) for c in RandomSearch(one, 5).ask(5)] == [{1}]


def test_a_line_behind_a_hash_is_no_condition() -> None:
    assert space("# BLOCK_M > 10**6").count().valid == space("M > 0").count().valid


def test_an_estimate_is_near() -> None:
    knobs = tuple(constexpr_knob(f"B{n}", 64) for n in range(6))
    values = {knob.name: tuple(1 << power for power in range(6)) for knob in knobs}
    config = Config.of({knob.name: 1 for knob in knobs})
    own = make_space(knobs, config, values, (" + ".join(values) + " < 60",))
    exact, about = own.count(), own.count(most_steps=1000)
    assert exact.exact
    assert not about.exact
    assert about.valid == pytest.approx(exact.valid, rel=0.1)
    assert about.text().startswith("about ")


def test_listed_configs_stand_beside_the_product() -> None:
    inside, outside = AROUND, AROUND.with_value("BLOCK_M", 512)
    own = make_space(KNOBS, AROUND, VALUES, (), {}, (inside, outside))
    assert own.extra == (outside,)
    assert own.count().total == 37
    assert next(own.combinations()) == outside
    alone = make_space(KNOBS, AROUND, {}, ("BLOCK_M < 512",), {}, (inside, outside))
    assert list(alone.valid()) == [inside]
    assert (alone.count().valid, alone.count().total) == (1, 2)


def test_neighbours_are_one_step_away_and_valid() -> None:
    own = space("BLOCK_M * BLOCK_N <= 4096")
    found = {tuple(c.as_dict().values()) for c in own.neighbours(AROUND)}
    assert found == {(32, 64, 4, 3), (64, 32, 4, 3), (64, 64, 2, 3), (64, 64, 8, 3)}
