"""Screening and confirming on clocks made by hand; real ones are in tests/gpu."""

from __future__ import annotations

import contextlib
import random
from types import SimpleNamespace

import pytest

from playground.engine import confirming, quick_check, sampling, screening, timing
from playground.engine.bench_messages import Confirm, Try
from playground.engine.clocks import choice, events
from playground.engine.job import Job
from playground.model.config import Config
from playground.model.measurement import ClockState

CONFIG = Config.of({"num_warps": 4})


class FakeSession:
    """Launches nothing; its replays are known by their config."""

    def __init__(self, wrong=()):
        self.wrong = wrong
        self.put_back = []

    def prepare(self, launch, config):
        return SimpleNamespace(
            config=config, restore=lambda: None, run=lambda: None,
            put_back=lambda: self.put_back.append(config),
        )  # fmt: skip

    def judge(self, launch, config, job):
        status = "wrong" if config in self.wrong else "correct"
        return SimpleNamespace(result=SimpleNamespace(status=status, text=lambda: "3 of 9 differ"))

    @contextlib.contextmanager
    def guarded(self, job):
        yield


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr(timing, "warm_up", lambda *_: None)
    monkeypatch.setattr(events, "sample", lambda _work, count: [0.01] * count)
    monkeypatch.setattr(confirming, "clock_state", lambda: ClockState(1980))
    monkeypatch.setattr(screening, "must_restore", lambda _: False)
    monkeypatch.setattr(quick_check, "is_right", lambda *_: True)
    monkeypatch.setattr(
        sampling, "work_of", lambda prepared, cache, restores: SimpleNamespace(
            config=prepared.config, launch=lambda: None, before=None)
    )  # fmt: skip


def screened(monkeypatch, times, best_ms=None, budget_ms=50.0):
    drawn = []

    def sample(work, count):
        drawn.append(count)
        return [next(times) for _ in range(count)]

    monkeypatch.setattr(events, "sample", sample)
    order = Try(CONFIG, budget_ms, "cold", best_ms)
    return screening.screened(FakeSession(), 0, order, Job()), drawn


def constant(value):
    while True:
        yield value


def test_a_settled_config_is_timed_no_longer(monkeypatch):
    found, drawn = screened(monkeypatch, constant(0.2))
    assert len(found.times_ms) == 70  # 10, 20 and 40: settled from 50 on
    assert (found.hopeless, found.source) == (False, "events")
    assert drawn == [3, 10 + sampling.DROPPED, 20, 40]


def test_a_hopeless_config_gets_ten_samples(monkeypatch):
    found, _ = screened(monkeypatch, constant(0.31), best_ms=0.2)
    assert (found.hopeless, len(found.times_ms)) == (True, 10)


def test_a_noisy_config_uses_its_budget(monkeypatch):
    source = random.Random(0)
    found, _ = screened(monkeypatch, iter(lambda: source.uniform(0.5, 0.9), None), budget_ms=20.0)
    assert not found.hopeless
    assert 10 <= len(found.times_ms) <= 40


def confirmed(monkeypatch, times_ms, wrong=(), noise=0.002, **limits):
    source = random.Random(1)

    def turns(works, order, clock=None):
        return choice.Turns(
            [times_ms[works[i].config] * (1 + source.gauss(0, noise)) for i in order], "cupti"
        )

    monkeypatch.setattr(choice, "turns", turns)
    session = FakeSession(wrong)
    answer = confirming.confirmed(session, 0, Confirm(tuple(times_ms), "cold", **limits), Job())
    return answer, session


def test_each_config_gets_its_own_times_and_it_ends_when_clear(monkeypatch):
    truth = {CONFIG: 0.2, CONFIG.with_value("num_warps", 8): 0.3}
    answer, session = confirmed(monkeypatch, truth)
    assert answer.configs == tuple(truth)
    for config, times in zip(answer.configs, answer.times_ms, strict=True):
        assert len(times) == 100
        assert sum(times) / 100 == pytest.approx(truth[config], rel=0.01)
    assert answer.source == "cupti"
    assert sorted(session.put_back, key=repr) == sorted(truth, key=repr)


def test_what_is_clearly_behind_leaves_after_the_least_number_of_rounds(monkeypatch):
    near, far = CONFIG.with_value("num_warps", 8), CONFIG.with_value("num_warps", 2)
    answer, _ = confirmed(monkeypatch, {CONFIG: 0.2, near: 0.2014, far: 0.4}, noise=0.05)
    counts = dict(zip(answer.configs, map(len, answer.times_ms), strict=True))
    assert counts[far] == 100 < counts[near] == counts[CONFIG]


def test_long_kernels_are_timed_by_event_pairs_as_while_screening(monkeypatch):
    monkeypatch.setattr(events, "sample", lambda _work, count: [0.2] * count)
    asked = []
    truth = {CONFIG: 0.2, CONFIG.with_value("num_warps", 8): 0.3}

    def turns(works, order, clock=None):
        asked.append(clock)
        return choice.Turns([truth[works[i].config] for i in order], clock or "cupti")

    monkeypatch.setattr(choice, "turns", turns)
    order = Confirm(tuple(truth), "cold")
    assert confirming.confirmed(FakeSession(), 0, order, Job()).source == "events"
    assert set(asked) == {"events"}


def clocks(monkeypatch, *mhz):
    """Let the clock be read as these one after the other, the last from then on."""
    read = iter(mhz)
    last = mhz[-1]
    monkeypatch.setattr(confirming, "clock_state", lambda: ClockState(next(read, last)))


def test_rounds_under_another_clock_are_timed_again(monkeypatch):
    clocks(monkeypatch, 1980, 1500, 1500)
    drawn = []

    def turns(works, order, clock=None):
        drawn.append(len(order))
        # What was timed while the clock fell is twice as slow, and must not count.
        return choice.Turns([0.4 if len(drawn) == 1 else 0.2] * len(order), "cupti")

    monkeypatch.setattr(choice, "turns", turns)
    pair = (CONFIG, CONFIG.with_value("num_warps", 8))
    answer = confirming.confirmed(FakeSession(), 0, Confirm(pair, "cold"), Job())
    assert all(set(times) == {0.2} and len(times) == 100 for times in answer.times_ms)
    assert len(drawn) == 3
    assert answer.notes == ()


def test_a_clock_that_never_rests_is_told_after_three_retries(monkeypatch):
    clocks(monkeypatch, *([1980, 1500] * 50))
    answer, _ = confirmed(monkeypatch, {CONFIG: 0.2, CONFIG.with_value("num_warps", 8): 0.3})
    assert len(answer.times_ms[0]) == 100
    assert "the SM clock went from" in answer.notes[0]
    assert "they ran in turns" in answer.notes[0]


def test_what_is_not_clear_goes_on_to_the_limit(monkeypatch):
    truth = {CONFIG: 0.2, CONFIG.with_value("num_warps", 8): 0.2014}
    answer, _ = confirmed(monkeypatch, truth, noise=0.2)
    assert [len(times) for times in answer.times_ms] == [400, 400]


def test_a_wrong_finalist_is_not_timed(monkeypatch):
    other = CONFIG.with_value("num_warps", 8)
    answer, _ = confirmed(monkeypatch, {CONFIG: 0.2, other: 0.1}, wrong=(other,))
    assert answer.configs == (CONFIG,)
    assert answer.wrong == ((other, "3 of 9 differ"),)
