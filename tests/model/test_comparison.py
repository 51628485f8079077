import math
import random

import pytest

from playground.model.comparison import Comparison, compared, noise_floor


def rounds(shift: float, count: int = 200, spread: float = 0.003, seed: int = 1):
    """Return pairs with a drift that both share, as clocks have."""
    draw = random.Random(seed)
    b = [1.0 + 0.05 * index / count + draw.gauss(0, spread) for index in range(count)]
    a = [value * shift * math.exp(draw.gauss(0, spread)) for value in b]
    return a, b


def test_a_drift_that_both_share_hides_no_difference():
    a, b = rounds(1.02)
    ratio, low, high, verdict = compared(a, b)
    assert verdict == "slower"
    assert low < 1.02 < high
    assert ratio == pytest.approx(1.02, abs=0.001)
    assert compared(b, a)[3] == "faster"


def test_equals_are_the_same_and_few_rounds_claim_nothing():
    assert compared(*rounds(1.0))[3] == "same"
    assert compared(*rounds(1.5, count=19))[3] == "unsure"


def test_a_difference_under_the_noise_floor_is_not_claimed():
    a, b = rounds(1.02)
    assert compared(a, b, floor=0.03)[3] == "same"


def test_equals_are_never_told_apart_however_often_one_looks():
    wrong = 0
    for seed in range(300):
        a, b = rounds(1.0, count=120, spread=0.01, seed=seed)
        looks = [compared(a[:size], b[:size], looks=6)[3] for size in range(20, 121, 20)]
        wrong += any(verdict in ("faster", "slower") for verdict in looks)
    assert wrong <= 3  # 1 in 100


def test_a_planted_two_percent_is_found():
    found = sum(compared(*rounds(1.02, 100, 0.01, seed))[3] == "slower" for seed in range(100))
    assert found >= 90


def test_the_interval_holds_the_true_ratio_as_often_as_it_says():
    held = 0
    for seed in range(400):
        _, low, high, _ = compared(*rounds(1.01, 60, 0.02, seed))
        held += low <= 1.01 <= high
    assert held >= 0.93 * 400


def test_pairs_are_needed():
    with pytest.raises(ValueError, match="pairs"):
        compared([1.0], [])
    with pytest.raises(ValueError, match="pairs"):
        compared([], [])


def test_the_noise_floor_bounds_the_difference_of_two_runs():
    draw = random.Random(7)
    within = total = 0
    for _ in range(200):
        runs = [math.exp(draw.gauss(0, 0.004)) for _ in range(8)]
        floor = noise_floor(runs)
        one, other = (math.exp(draw.gauss(0, 0.004)) for _ in range(2))
        within += abs(one / other - 1) <= floor
        total += 1
    assert within / total >= 0.93


def test_the_noise_floor_is_no_finer_than_the_clock():
    assert noise_floor([1.472, 1.472, 1.472], resolution=0.032) == pytest.approx(0.032 / 1.472)
    with pytest.raises(ValueError, match="three"):
        noise_floor([1.0, 1.0])


def test_the_text_says_what_was_done():
    a, b = rounds(1.02)
    comparison = Comparison(
        "BLOCK=64", "baseline", tuple(a), tuple(b), *compared(a, b), source="cupti", cache="cold"
    )
    text = comparison.text()
    assert "BLOCK=64 is slower than baseline" in text
    assert "200 interleaved rounds, cupti, cold L2" in text
