"""What a measurement does with its clock, on clocks made by hand; real ones are in tests/gpu."""

import random
from types import SimpleNamespace

import pytest

from playground.engine import comparing, noise, sampling, timing
from playground.engine.clocks import choice, cupti, events, graph
from playground.engine.clocks.work import NoRecordsError, Work
from playground.engine.job import Job
from playground.model.config import Config
from playground.model.measurement import Measurement

PREPARED = SimpleNamespace(
    launch=SimpleNamespace(info=SimpleNamespace(kernel="k")), run=lambda: None, arguments={}
)
WORK = Work(lambda: None)


@pytest.fixture(autouse=True)
def one_reader(monkeypatch):
    monkeypatch.setattr(cupti, "available", lambda: True)
    yield
    choice.ask_for(None)


def draw(estimate_ms=0.01, budget_ms=5.0, cache="warm", *, restores=False):
    return sampling.draw(PREPARED, WORK, cache, estimate_ms, budget_ms, Job(), restores)


def refused(*_arguments):
    raise NoRecordsError("another tool holds CUPTI")


# ------------------------------------------------------------------------------ sampling


def test_the_first_samples_are_dropped_and_it_ends_when_settled(monkeypatch):
    drawn = []

    def sample(work, count, kernel):
        drawn.append((count, kernel))
        return [0.5] * sampling.DROPPED + [0.01] * (count - sampling.DROPPED)

    monkeypatch.setattr(choice, "sample", sample)
    found = draw(budget_ms=3000.0)
    assert set(found.times_ms) == {0.01}
    assert (found.source, found.stopped, found.notes) == ("cupti", "settled", ())
    assert drawn == [(len(found.times_ms) + sampling.DROPPED, "k")]


def test_a_wide_spread_uses_up_the_budget(monkeypatch):
    chance = random.Random(1)
    monkeypatch.setattr(
        choice, "sample", lambda work, count, kernel: [chance.uniform(1, 9) for _ in range(count)]
    )
    found = draw(estimate_ms=1.0, budget_ms=40.0)
    assert (len(found.times_ms), found.stopped) == (40, "budget")
    # However little the budget is, some samples are drawn.
    assert len(draw(estimate_ms=1.0, budget_ms=1.0).times_ms) == sampling.MINIMUM_SAMPLES


def test_without_records_a_long_launch_is_timed_by_event_pairs(monkeypatch):
    monkeypatch.setattr(choice, "sample", refused)
    monkeypatch.setattr(events, "sample", lambda work, count: [2.0] * count)
    found = draw(estimate_ms=2.0)
    assert (found.source, set(found.times_ms)) == ("events", {2.0})
    assert "another tool holds CUPTI" in found.notes[0]


@pytest.mark.parametrize(("restores", "source"), [(False, "graph"), (True, "events")])
def test_without_records_a_short_launch_is_timed_in_a_graph_unless_it_reads_what_it_writes(
    monkeypatch, restores, source
):
    monkeypatch.setattr(choice, "sample", refused)
    monkeypatch.setattr(events, "sample", lambda work, count: [0.02] * count)
    monkeypatch.setattr(graph, "sample", lambda runs, calls, count: [calls] * count)
    found = draw(estimate_ms=0.01, restores=restores)
    assert found.source == source
    if source == "graph":
        # 2 ms of launches in a graph, so that its own start is spread over 200 of them.
        assert set(found.times_ms) == {200}


@pytest.mark.parametrize("source", ["events", "graph"])
def test_a_clock_that_was_asked_for_is_used_at_once(monkeypatch, source):
    monkeypatch.setattr(choice, "sample", refused)
    monkeypatch.setattr(events, "sample", lambda work, count: [0.02] * count)
    monkeypatch.setattr(graph, "sample", lambda runs, calls, count: [0.01] * count)
    choice.ask_for(source)
    found = draw()
    assert (found.source, found.notes) == (source, ())


def test_a_reader_that_was_asked_for_is_not_replaced(monkeypatch):
    monkeypatch.setattr(choice, "sample", refused)
    choice.ask_for("proton")
    with pytest.raises(NoRecordsError):
        draw()


def test_clocks_that_moved_make_two_populations():
    assert not sampling.drifted([1.0] * 60)
    assert sampling.drifted([1.0] * 30 + [1.05] * 30)
    assert not sampling.drifted([1.0] * 9 + [2.0] * 9)  # too few to tell


# ------------------------------------------------------------------------------ comparing


@pytest.fixture
def turns(monkeypatch):
    """Return a function that says how long each of two works takes; it notes the order."""
    noted = []

    def put(a_ms, b_ms, spread=0.002):
        chance = random.Random(7)

        def timed(works, order, source=None):
            noted.append(list(order))
            return choice.Turns(
                [(a_ms, b_ms)[index] * (1 + chance.gauss(0, spread)) for index in order], "cupti"
            )

        monkeypatch.setattr(choice, "turns", timed)
        monkeypatch.setattr(comparing, "_estimate_ms", lambda work: 1.0)
        monkeypatch.setattr(timing, "warm_up", lambda work, estimate_ms, job: None)
        return noted

    return put


def compare(budget_ms=400.0, **more):
    a, b = comparing.Contestant("a", WORK), comparing.Contestant("b", WORK)
    return comparing.compare(a, b, cache="cold", budget_ms=budget_ms, job=Job(), **more)


@pytest.mark.parametrize(
    ("a_ms", "b_ms", "verdict"), [(1.0, 1.02, "faster"), (1.02, 1.0, "slower"), (1.0, 1.0, "same")]
)
def test_two_per_cent_are_found_and_nothing_is_made_of_nothing(turns, a_ms, b_ms, verdict):
    turns(a_ms, b_ms)
    found = compare()
    assert found.verdict == verdict
    assert found.ratio == pytest.approx(a_ms / b_ms, rel=0.002)
    assert found.low <= found.ratio <= found.high


def test_turns_are_in_random_order_and_each_round_has_both(turns):
    noted = turns(1.0, 1.0)
    compare()
    order = noted[0][2 * sampling.DROPPED :]
    rounds = [tuple(order[at : at + 2]) for at in range(0, len(order), 2)]
    assert set(rounds) == {(0, 1), (1, 0)}
    assert 0.2 < rounds.count((0, 1)) / len(rounds) < 0.8


def test_under_the_noise_floor_nothing_is_claimed(turns):
    turns(1.0, 1.02)
    assert compare(floor=0.05).verdict == "same"


def test_measuring_more_keeps_the_rounds_there_are(turns):
    turns(1.0, 1.004, spread=0.05)
    first = compare(budget_ms=100.0)
    second = compare(budget_ms=100.0, more=first)
    assert second.a_ms[: first.rounds] == first.a_ms
    assert second.rounds > first.rounds
    assert second.looks > first.looks


# ------------------------------------------------------------------------------ the noise floor


def measured(times_ms, source):
    return Measurement(0, Config.of({}), (next(times_ms),), source, "cold")


@pytest.mark.parametrize(
    ("source", "step_ms"),
    [("cupti", 32e-6), ("proton", 32e-6), ("events", 0.5e-3), ("graph", 0.0)],
)
def test_a_floor_is_at_least_a_step_of_its_clock(source, step_ms):
    times_ms = iter([0.01] * noise.RUNS)
    found = noise.measured_floor(lambda budget_ms: measured(times_ms, source))
    assert found == pytest.approx(step_ms / 0.01)


def test_a_floor_grows_with_the_spread_of_runs():
    times_ms = iter([1.0, 1.01] * (noise.RUNS // 2))
    found = noise.measured_floor(lambda budget_ms: measured(times_ms, "cupti"))
    # 8 runs, half of them one per cent up: the deviation of their logarithms is 0.00532, and
    # t for 7 degrees of freedom 2.365; times the square root of 2.
    assert found == pytest.approx(0.0179, abs=0.0003)


def test_a_kernel_that_reads_what_it_writes_is_restored(monkeypatch):
    steps = []
    prepared = SimpleNamespace(run=lambda: steps.append("run"), restore=lambda: steps.append("put"))
    monkeypatch.setattr(sampling, "evict", lambda: steps.append("evict"))
    sampling.work_of(prepared, "cold", True).perform()
    assert steps == ["put", "evict", "run"]
