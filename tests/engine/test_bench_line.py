"""The line of configs before the bench workers: who is in a turn is not ended under it."""

from __future__ import annotations

import threading

import pytest

from playground.engine.bench_line import BenchLine
from playground.engine.bench_messages import Tried, Try
from playground.engine.job import CancelledError, Job
from playground.model.config import Config

ONE = Config.of({"BLOCK": 64})


class Worker:
    """Answers at once; asks the caller once for each order whether to go on."""

    device = "made up"

    def make_ready(self, go_on):
        go_on()

    def ask(self, order, limit_s, go_on):
        go_on()
        return Tried("correct", "", (1.0,), "events")


def line_with(on_turn, tried, job=None):
    return BenchLine(
        [Worker()], job or Job(), 1.0, lambda config, _bench: Try(config, 1.0, "cold"),
        lambda config, *_: tried.append(config), on_turn=on_turn,
    )  # fmt: skip


def test_the_last_turn_is_waited_for_and_told_to_go_on():
    entered, may_go = threading.Event(), threading.Event()
    tried, told = [], []

    def on_turn(_bench, go_on, idle):
        if not (idle and tried):
            return
        entered.set()
        assert may_go.wait(10)
        go_on()
        told.append("went on")

    line = line_with(on_turn, tried)
    line.put(ONE)
    assert entered.wait(10)
    assert line.backlog == 1
    threading.Timer(0.2, may_go.set).start()
    line.wait(0, lambda: None)
    line.end()
    assert (tried, told) == ([ONE], ["went on"])


def test_a_cancelled_sweep_waits_for_no_turn():
    job = Job()
    entered = threading.Event()

    def on_turn(_bench, go_on, _idle):
        entered.set()
        while True:
            go_on()

    line = line_with(on_turn, [], job)
    assert entered.wait(10)
    job.cancel()
    with pytest.raises(CancelledError):
        line.wait(0, job.check)
    line.end()
    assert line.backlog == 0
