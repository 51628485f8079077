"""A whole sweep with workers that stand for GPUs: their times are made up, the rest is real."""

from __future__ import annotations

import pytest

FAKES = """
import random, threading, time
import playground
from playground.engine import benches
from playground.engine.bench_messages import Confirm, Confirmed, Prove, Proved, Tried, Try
from playground.engine.bench_process import LostError
from playground.engine.job import Job
from playground.model.sweep_plan import SweepPlan
from playground.model.sweep_space import make_space

session = playground.open(KERNELS / "vector_add.py")
session.run("example()", {"size": 5000})
launch = session.launches[0].info
space = make_space(launch.knobs, launch.config,
                   {"BLOCK_SIZE": (64, 128, 256, 512), "num_warps": (2, 4)})

def truth(config):  # ms on the first GPU
    return 0.1 + abs(config["BLOCK_SIZE"] - 256) / 1000 + config["num_warps"] / 100

class Gpu:
    def __init__(self, name, slower, lose=(), wrong=(), on_confirm=lambda: None):
        self.gpu, self.device, self.start_s = name, "", 0.0
        self.slower, self.lose, self.wrong, self.on_confirm = slower, list(lose), wrong, on_confirm
        self.readied, self.tried, self.orders, self.closed = 0, [], [], 0
    def start(self):
        pass
    def make_ready(self, go_on):
        self.readied += 1
        self.device = self.gpu
    def ask(self, order, limit_s, go_on):
        self.orders.append(order)
        if isinstance(order, Try):
            time.sleep(0.02)
            if order.config["BLOCK_SIZE"] in self.lose:
                self.lose.remove(order.config["BLOCK_SIZE"])
                raise LostError("its host is gone")
            self.tried.append(order.config)
            return Tried("correct", "", (truth(order.config) * self.slower,) * 20, "events")
        if isinstance(order, Confirm):
            self.on_confirm()
            go_on()
            noise = random.Random(1)
            times = tuple(tuple(truth(c) * self.slower * (1 + noise.gauss(0, 0.001))
                                for _ in range(100)) for c in order.configs)
            return Confirmed(order.configs, times, "events")
        wrong = tuple((c, "at n=257: 1 of 257 elements differ") for c in order.configs
                      if c in self.wrong)
        return Proved(tuple(c for c in order.configs if c not in self.wrong), wrong, "n=257 seed=1")
    def close(self):
        self.closed += 1

def swept(*gpus, job=None, **plan):
    made = benches.Benches(gpus, True, "cuda:90")
    benches.open_benches = lambda *_: made
    return session.sweep(0, plan=SweepPlan(space, start=launch.config, **plan), job=job)

def label(config):
    return [config["BLOCK_SIZE"], config["num_warps"]]

found = {}
"""

SCENES = """fast, slow = Gpu("A", 1.0), Gpu("B", 2.0)
result = swept(fast, slow)
scale = truth(launch.config)
hints = [[order.best_ms, gpu.slower] for gpu in (fast, slow) for order in gpu.orders
         if isinstance(order, Try) and order.best_ms is not None]
found["two"] = {
    "statuses": sorted({row.status for row in result.rows}), "rows": len(result.rows),
    "off": max(abs(row.relative - truth(row.config) / scale) for row in result.rows),
    "both": [len(fast.tried) > 1, len(slow.tried) > 1],
    "confirmed": sorted({row.device for row in result.rows if row.confirmed}),
    "best": [*label(result.best.config), result.best.device, result.best.place],
    "proved": [sum(row.proved for row in result.rows), result.proved_at],
    "hints": min(hint / slower for hint, slower in hints) >= 0.119, "closed": slow.closed >= 1,
}

lost, other = Gpu("A", 1.0, lose=(64, 64)), Gpu("A", 1.0)
result = swept(lost, other, confirm=False)
elsewhere = [label(config) for config in other.tried if config["BLOCK_SIZE"] == 64]
twice = Gpu("A", 1.0, lose=(64, 64, 64, 64))
alone = swept(twice, confirm=False)
found["lost"] = {
    "statuses": sorted({row.status for row in result.rows}), "rows": len(result.rows),
    "elsewhere": len(elsewhere), "taken": 2 - len(lost.lose), "readied": lost.readied,
    "alone": sorted([*label(row.config), row.status, row.reason] for row in alone.rows
                    if row.config["BLOCK_SIZE"] == 64),
}

best = launch.config.updated({"BLOCK_SIZE": 256, "num_warps": 2})

class Threads(Gpu):  # notes in which thread it was asked to confirm or to prove
    def ask(self, order, limit_s, go_on):
        if isinstance(order, (Confirm, Prove)):
            where.append([self.gpu, type(order).__name__, threading.current_thread().name])
        return super().ask(order, limit_s, go_on)

def on(*labels, wrong=()):
    where.clear()
    result = swept(*(Threads(label, 1.0, wrong=wrong) for label in labels))
    proved = sorted(label(row.config) for row in result.rows if row.proved)
    return [sorted(where), label(result.best.config), len(proved),
            sorted({row.device for row in result.rows if row.confirmed})]

where = []
twins = "H200 0000000a", "H200 0000000b"
found["twins"] = on(*twins)
found["twins, best wrong"] = on(*twins, wrong=(best,))
found["one GPU twice"] = on(twins[0], twins[0])
found["two models"] = on(twins[0], "B200 0000000b")
result = swept(Gpu("A", 1.0, wrong=(best,)))
row = next(row for row in result.rows if row.config == best)
found["wrong"] = [row.status, row.reason, row.place, label(result.best.config), result.best.place,
        result.best.proved]

from playground.protocol.messages import Progress, SweepProgress
moments = []

def at(moment):
    job = None
    def take(reply):
        if moment(reply):
            job.cancel()
    job = Job(take)
    gpu = Gpu("A", 1.0, on_confirm=lambda: job.cancel() if moment("confirm") else None)
    result = swept(gpu, job=job)
    moments.append([result.cancelled, len(result.rows), len(gpu.tried),
                  result.best is not None])

at(lambda reply: isinstance(reply, Progress))  # while the first compiles
at(lambda reply: isinstance(reply, SweepProgress) and reply.done == 1)
at(lambda reply: isinstance(reply, SweepProgress) and reply.done == 5)
at(lambda reply: reply == "confirm")
found["cancelled"] = moments

answer(found)
session.close()
"""


@pytest.fixture(scope="module")
def found(run_engine_once):
    """What came of every sweep; one process for all, since each compiles the same configs."""
    return run_engine_once(FAKES + SCENES)


def test_two_gpus_are_put_on_one_scale_and_the_finalists_run_on_one(found) -> None:
    answer = found["two"]
    assert (answer["statuses"], answer["rows"]) == (["correct"], 8)
    assert answer["off"] < 0.01  # the noise of the made-up confirmation
    assert answer["both"] == [True, True]
    assert answer["confirmed"] == ["A"]
    assert answer["best"] == [256, 2, "A", 1]
    assert answer["proved"] == [8, "n=257 seed=1"]
    assert answer["hints"]  # what is hopeless is told by what the GPU itself can do
    assert answer["closed"]


def test_a_lost_workers_config_is_tried_elsewhere_and_it_is_replaced(found) -> None:
    answer = found["lost"]
    assert (answer["statuses"], answer["rows"]) == (["correct"], 8)
    assert answer["elsewhere"] >= answer["taken"]
    assert answer["readied"] == 1 + answer["taken"]
    # Alone it comes back to the one that takes its place, and is given up the second time.
    why = "two workers were lost under it: its host is gone"
    assert answer["alone"] == [[64, 2, "runtime", why], [64, 4, "runtime", why]]


def test_a_second_gpu_of_the_model_checks_while_the_first_times(found) -> None:
    first, second = "H200 0000000a", "H200 0000000b"
    timed, checked = [first, "Confirm", "MainThread"], [second, "Prove", "proving"]
    assert found["twins"] == [[timed, checked], [256, 2], 8, [first]]
    assert found["twins, best wrong"] == [[timed, checked], [256, 4], 7, [first]]
    assert found["one GPU twice"][0] == [timed, [first, "Prove", "MainThread"]]
    assert found["two models"][0] == [timed, [first, "Prove", "MainThread"]]


def test_what_is_wrong_on_other_inputs_cannot_win(found) -> None:
    answer = found["wrong"]
    assert answer[:3] == ["wrong", "at n=257: 1 of 257 elements differ", None]
    assert answer[3:] == [[256, 4], 1, True]


def test_cancelling_keeps_everything_at_any_moment(found) -> None:
    answer = found["cancelled"]
    for cancelled, rows, tried, _ in answer:
        assert cancelled
        assert tried - 1 <= rows <= tried  # at most the one under way has no row
    assert [rows for _, rows, _, _ in answer[1:]] == [1, 5, 8]
    assert answer[-1][-1]  # the fastest is known, though not confirmed
