"""Integer expressions are bounded by interval arithmetic, conditions taken into account."""

from __future__ import annotations

import itertools

import pytest

from playground.model.symbolic import (
    UNKNOWN,
    Cap,
    Sym,
    base,
    bounds,
    const,
    factors,
    leaf,
    make,
    terms,
)

N, B, PID = leaf("param", "N"), leaf("param", "B"), leaf("pid")


def test_numbers_are_done_at_once_and_neutral_ones_drop_out() -> None:
    assert make("+", const(3), const(4)) == const(7)
    assert make("cdiv", const(10), const(4)) == const(3)
    assert make("+", const(0), N) == N
    assert make("*", N, const(1)) == N
    assert make("*", const(2), N) != N


@pytest.mark.parametrize("operator", ["+", "-", "*", "//", "%", "cdiv", "min", "max", "|", "&"])
def test_bounds_hold_for_every_value_inside(operator: str) -> None:
    first, second = make("upto", const(7)), make("between", const(2), const(6), const(1))
    found = bounds(make(operator, first, second), {})
    assert found is not None
    plain = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
        "//": lambda a, b: a // b, "%": lambda a, b: a % b, "cdiv": lambda a, b: -(-a // b),
        "min": min, "max": max, "|": lambda a, b: a | b, "&": lambda a, b: a & b,
    }[operator]  # fmt: skip
    values = [plain(a, b) for a, b in itertools.product(range(7), range(2, 6))]
    assert found[0] <= min(values)
    assert max(values) <= found[1]


def test_a_condition_cuts_the_expression_it_is_about() -> None:
    offsets = make("+", make("*", PID, B), make("upto", B))
    address = make("+", leaf("pointer", "x"), offsets)
    values = {"N": 1000, "B": 256}
    assert bounds(address, values, (4, 1, 1)) == (0, 1023)
    assert bounds(address, values, (4, 1, 1), [Cap(offsets, N, True)]) == (0, 999)
    assert bounds(address, values, (4, 1, 1), [Cap(offsets, N, False)]) == (0, 1000)


def test_a_pointer_moved_by_a_loop_ends_where_the_last_turn_leaves_it() -> None:
    # K = 100 in steps of 32: four turns, three moves between them.
    moved = make("repeated", const(32), const(0), leaf("param", "K"), const(32))
    assert bounds(moved, {"K": 100}) == (0, 96)
    assert bounds(make("between", const(0), leaf("param", "K"), const(32)), {"K": 100}) == (0, 99)


def test_what_is_not_known_stays_unknown_but_for_a_modulus_and_a_least() -> None:
    assert bounds(UNKNOWN, {}) is None
    assert bounds(make("+", UNKNOWN, const(1)), {}) is None
    assert bounds(make("%", UNKNOWN, const(8)), {}) == (0, 7)
    assert bounds(leaf("loaded", "idx"), {}) is None
    assert bounds(leaf("loaded", "idx"), {}, loaded={"idx": 8}) == (0, 7)


def test_parts_of_an_address() -> None:
    row = make("*", PID, N)
    address = make("+", make("+", leaf("pointer", "x"), row), make("upto", B))
    assert base(address) == "x"
    assert terms(address) == [row, make("upto", B)]
    assert factors(row) == [PID, N]


def test_an_expression_beyond_all_bounds_is_unknown() -> None:
    grown: Sym = N
    for _ in range(12):
        grown = make("+", grown, grown)
    assert grown == UNKNOWN or grown.nodes <= 400
