"""The figures of a schedule, against schedules drawn by hand."""

import numpy as np
import pytest

from playground.engine.schedule_figures import (
    busy_ns,
    busy_share,
    figures,
    most_resident,
    tail_ns,
    timer_step_ns,
)
from playground.model.config import Config


def stamps(*programs):
    """Return (multiprocessor, start, end) arrays from one triple a program."""
    where, start, end = (np.array(column, dtype=np.int64) for column in zip(*programs, strict=True))
    return where, start, end


def test_programs_one_after_the_other_are_one_resident():
    # The second starts in the step in which the first ends: it took its place.
    assert most_resident(*stamps((0, 0, 64), (0, 64, 128), (0, 160, 192))) == 1


def test_overlapping_programs_count_on_their_own_multiprocessor_only():
    at_once = stamps((0, 0, 100), (1, 10, 90), (1, 20, 80), (1, 70, 95), (0, 99, 120))
    assert most_resident(*at_once) == 3


def test_a_program_within_one_step_of_the_timer_is_still_there():
    assert most_resident(*stamps((3, 32, 32))) == 1
    assert most_resident(*stamps((3, 32, 32), (3, 32, 32))) == 2


def test_busy_time_is_that_of_any_program_and_gaps_are_left_out():
    used, busy = busy_ns(*stamps((5, 0, 40), (5, 20, 60), (5, 100, 130), (2, 10, 30)))
    assert used.tolist() == [2, 5]
    assert busy.tolist() == [20, 60 + 30]


def test_busy_share_counts_multiprocessors_that_never_ran_anything():
    schedule = stamps((0, 0, 100), (1, 0, 50))
    assert busy_share(*schedule, 2) == pytest.approx(0.75)
    assert busy_share(*schedule, 4) == pytest.approx(0.375)


def test_the_tail_begins_where_the_first_multiprocessor_runs_dry():
    where, _, end = stamps((0, 0, 100), (0, 100, 180), (1, 0, 300), (2, 0, 250))
    assert tail_ns(where, end) == 300 - 180


@pytest.mark.parametrize(
    ("times", "step"),
    [([0, 32, 96, 320], 32), ([0, 1024], 1024), ([0, 31, 63, 94, 125], 31), ([7], 1), ([0, 1], 1)],
)
def test_the_timer_shows_its_step(times, step):
    times = np.array(times, dtype=np.int64)
    assert timer_step_ns(times, times) == step


def test_two_full_waves_and_a_tail():
    # Four multiprocessors, two programs at a time each; 18 programs of 100 ns: two waves of eight
    # and two programs more.
    programs = []
    for program in range(18):
        wave, place = divmod(program, 8)
        programs.append((place % 4, 1000 + 100 * wave, 1100 + 100 * wave))
    found = figures(
        *stamps(*programs), launch=1, config=Config.of({"BLOCK": 4}), grid=(3, 3, 2),
        multiprocessors=4, resident_theoretical=2, notes=("a note",),
    )  # fmt: skip
    assert (found.launch, found.grid, found.multiprocessors, found.used) == (1, (3, 3, 2), 4, 4)
    assert found.resident == 2
    assert found.waves == pytest.approx(18 / 8)
    assert found.duration_ns == 300
    assert (found.shortest_ns, found.median_ns, found.longest_ns) == (100, 100, 100)
    assert found.tail_ns == 100  # two multiprocessors run a third program
    assert found.idle_share == pytest.approx(2 * 100 / (4 * 300))
    assert found.resolution_ns == 100
    assert found.notes == ("a note",)


def test_one_long_program_among_short_ones():
    programs = [(program % 8, 0, 64) for program in range(8)] + [(0, 64, 1064)]
    found = figures(
        *stamps(*programs), launch=0, config=Config(), grid=(9, 1, 1), multiprocessors=8,
        resident_theoretical=None,
    )  # fmt: skip
    assert (found.shortest_ns, found.median_ns, found.longest_ns) == (64, 64, 1000)
    assert found.tail_ns == 1000
    assert found.idle_share == pytest.approx(1 - (1064 + 7 * 64) / (8 * 1064))
