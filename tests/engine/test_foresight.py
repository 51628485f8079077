"""What the best configs compile to on other inputs: asked of a worker early, compiled meanwhile."""

from __future__ import annotations

import threading

import pytest

from playground.engine.bench_messages import Foreseen
from playground.engine.bench_process import DiedError, LostError, OverdueError
from playground.engine.foresight import Foresight
from playground.engine.job import CancelledError
from playground.engine.machine import model_of
from playground.model.config import Config

FIRST, SECOND, THIRD = (Config.of({"BLOCK": size}) for size in (64, 128, 256))


class FakeBench:
    """Answers with an order by name for each config, or fails as it is told."""

    def __init__(self, answer=None):
        self.answer = answer
        self.asked = []
        self.closed = 0

    def ask(self, order, limit_s, go_on):
        self.asked.append((order.configs, order.sizes, limit_s))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer or Foreseen(tuple((c, c.label()) for c in order.configs))

    def close(self):
        self.closed += 1


class FakeCompiler:
    """Ends a compilation when it is let."""

    def __init__(self):
        self.begun = []
        self.let = {}
        self.came = threading.Condition()

    def compile_ahead(self, more, on_done, job):
        while (orders := more()) is not None:
            for order in orders:
                with self.came:
                    self.begun.append(order)
                    self.let[order] = threading.Event()
                    self.came.notify_all()
            for order, event in list(self.let.items()):
                if event.wait(0.005):
                    on_done(order)
            if job.cancelled:
                raise CancelledError

    def end(self, config):
        with self.came:
            assert self.came.wait_for(lambda: config.label() in self.let, 10)
        self.let[config.label()].set()


@pytest.fixture
def made():
    found = []

    def make(sizes=(("n", 257),)):
        compiler = FakeCompiler()
        found.append(Foresight(compiler, 7, sizes, 30.0))
        return found[-1], compiler

    yield make
    for one in found:
        one.end()


def nothing():
    return None


def test_the_file_runs_while_nothing_is_to_try_and_leaders_are_compiled_once(made):
    foresight, compiler = made()
    bench = FakeBench()
    foresight.turn(bench, nothing, (FIRST,), idle=False)  # a config waits: it goes first
    assert bench.asked == []
    foresight.turn(bench, nothing, (), idle=True)
    foresight.turn(bench, nothing, (FIRST,), idle=True)  # the compile workers are busy still
    assert bench.asked == [((), (("n", 257),), 10.0)]
    foresight.start()
    foresight.turn(bench, nothing, (FIRST, SECOND), idle=False)
    foresight.turn(bench, nothing, (SECOND, FIRST), idle=False)  # both are known
    foresight.look(bench, (FIRST, THIRD), nothing)
    assert [configs for configs, _, _ in bench.asked[1:]] == [(FIRST, SECOND), (THIRD,)]
    assert bench.asked[-1][2] == 30.0
    compiler.end(SECOND)
    foresight.wait_for(SECOND, nothing)
    assert foresight.is_ready(SECOND)
    assert not foresight.is_ready(THIRD)
    foresight.end()
    assert foresight.is_ready(THIRD)  # nobody compiles it any more: it is compiled where it runs
    assert sorted(compiler.begun) == sorted(c.label() for c in (FIRST, SECOND, THIRD))


def test_waiting_ends_with_the_sweep(made):
    foresight, _ = made()
    foresight.start()
    foresight.look(FakeBench(), (FIRST,), nothing)

    def go_on():
        raise CancelledError

    with pytest.raises(CancelledError):
        foresight.wait_for(FIRST, go_on)


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (DiedError("SIGSEGV"), "the file does not survive n=257 seed=7: SIGSEGV"),
        (OverdueError("no end after 10 s"), "the file does not survive n=257 seed=7: no end"),
        (Foreseen(problem="illegal address", fatal=True), "n=257 seed=7: illegal address"),
    ],
)
def test_sizes_that_end_the_worker_are_not_tried_again(made, failure, why):
    foresight, _ = made()
    bench = FakeBench(failure)
    foresight.turn(bench, nothing, (), idle=True)
    foresight.turn(bench, nothing, (), idle=True)
    foresight.look(bench, (FIRST,), nothing)
    assert len(bench.asked) == 1
    assert foresight.sizes == ()
    assert why in foresight.note
    assert foresight.is_ready(FIRST)
    assert bench.closed == isinstance(failure, Foreseen)


@pytest.mark.parametrize("failure", [LostError("gone"), Foreseen(problem="n must be even")])
def test_what_says_nothing_against_the_sizes_leaves_them_to_the_check(made, failure):
    foresight, _ = made()
    foresight.turn(FakeBench(failure), nothing, (), idle=True)
    assert (foresight.sizes, foresight.note) == ((("n", 257),), "")


def test_gpus_of_one_model_are_known_by_their_labels():
    first, second = "NVIDIA H200 1a2b3c4d", "NVIDIA H200 0badcafe of node7"
    assert model_of(first) == model_of(second) == "NVIDIA H200"
    assert model_of("interpreter of node7") == model_of("interpreter") != "NVIDIA H200"


WORKER = """
import os, time
import playground
from playground.engine.bench_messages import Foresee, Prove, Try
from playground.engine.bench_process import BenchProcess, recipe_of
from playground.engine.job import Job

path = write("k.py", '''
    import os, torch, triton, triton.language as tl

    RUNS = []

    @triton.jit
    def add_one(x, o, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)

    def example(n: int = 256):
        with open(__file__ + ".runs", "a") as file:
            print(n, file=file)
        if n == 265:
            os.abort()
        x = torch.randn(n)
        o = torch.empty_like(x)
        add_one[lambda meta: (triton.cdiv(n, meta["B"]),)](x, o, n, B=64)
        return o
''')
session = playground.open(path)
session.run()
config = session.launches[0].info.config
configs = tuple(config.updated({"B": block}) for block in (32, 64))
bench = BenchProcess(recipe_of(session, 0))
go_on = lambda: None
found = bench.ask(Foresee(7, (("n", 257),), configs), 100, go_on)
told = bench.ask(Prove(configs, 7, (("n", 257),), 60.0), 100, go_on)
runs = [int(line) for line in open(path + ".runs")]
tried = bench.ask(Try(configs[0], 50.0, "cold"), 100, go_on)
late = bench.ask(Foresee(7, (("n", 999),), ()), 100, go_on)
problem = bench.ask(Foresee(7, (("m", 1),), ()), 100, go_on)

done, waiting = [], [[order for _, order in found.orders]]
compiler = session.compiler
compiler.worker_limit = 1
compiler.compile_ahead(lambda: waiting.pop() if waiting else None, done.append, Job())
numbers = [dict(order.arguments)["n"][1] for order in done]
try:
    bench.ask(Foresee(7, (("n", 265),), ()), 100, go_on)
except Exception as error:
    death = [type(error).__name__, error.how]
answer({"configs": [c["B"] for c, _ in found.orders], "problem": found.problem,
        "right": [c["B"] for c in told.right], "at": told.at, "runs": runs,
        "tried": tried.status, "late": [late.problem, late.fatal], "numbers": numbers,
        "blocks": sorted(dict(order.arguments)["B"][1] for order in done), "death": death})
bench.close()
session.close()
"""


def test_a_worker_runs_the_file_once_for_what_it_is_asked_of_other_inputs(run_engine):
    answer = run_engine(WORKER)
    assert (answer["configs"], answer["problem"]) == ([32, 64], "")
    assert answer["runs"] == [256, 256, 257]  # the engine's run, the worker's, the other inputs'
    assert (answer["right"], answer["at"]) == ([32, 64], "n=257 seed=7")
    assert answer["tried"] == "correct"  # the sweep's own launch is still there
    assert answer["late"] == ["", False]
    assert answer["numbers"] == [257, 257]
    assert answer["blocks"] == [32, 64]
    assert answer["death"] == ["DiedError", "SIGABRT"]
