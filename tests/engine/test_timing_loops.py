"""Sweeps that are written by hand go once, at their smallest size; other loops go on as before."""

import ast
import itertools
import textwrap

import pytest

from playground.engine import benchmarks, host_watch, run_notes

START = """
import time
from torch import rand, empty
from numpy.testing import assert_allclose as assert_close
class K:
    def __getitem__(self, grid):
        return lambda *args: calls.append(args)
k, calls, seen = K(), [], []
def run(n, *rest):
    seen.append(n)
    k[(1,)](n)
def do_bench(f):
    f()
    return 1.0
def made(n):
    return rand(n)
def time_it(f):
    start = time.perf_counter()
    for _ in range(3):
        f()
    return time.perf_counter() - start
def bench(n, provider="a"):
    x = rand(n)
    return time_it(lambda: run(n, x))
"""

SWEEPS = {
    "powers": (
        """
        for p in range(12, 20):
            n = 2**p
            x = rand(2 * 3, n and 4)
            y = rand(n)
            t = time.perf_counter()
            for _ in range(100): run(n)
            print(n, (time.perf_counter() - t) / 100)
        """, [4096], 8),
    "results": (
        """
        results = []
        for n in [512, 128, 256]:
            x = rand(n)
            t = time.perf_counter(); run(n)
            results.append((n, time.perf_counter() - t))
        assert len(results) == 1
        """, [128], 3),
    "pairs": (
        """
        for m, n in [(8, 64), (16, 16), (32, 2)]:
            x = rand(m, n)
            ms = do_bench(lambda: run(m))
        """, [32], 3),
    "helper": ("for n in range(2, 100, 7):\n    bench(n)", [2], 14),
    "product": (
        """
        for m, n in itertools.product([4, 2], [8, 16]):
            x = made(n)
            print(f"{m} {n}", time_it(lambda: run(m)))
        """, [2], 4),
    "function": (
        """
        def main():
            for n in (64, 32):
                x = rand(n)
                print(time_it(lambda: run(n)))
        main()
        """, [32], 2),
    "checked": (
        """
        for n in (64, 32):
            x = rand(n)
            assert_close(1, 1)
            print(time_it(lambda: run(n)))
        """, [32], 2),
    "while": (
        """
        n = 16
        while n <= 2**12:
            x = rand(n)
            t = time.time(); run(n); print(time.time() - t)
            n *= 2
        """, [16], None),
}  # fmt: skip

OTHERS = {
    "a few sizes that are checked": (
        """
        for n in [17, 8]:
            x = rand(n)
            t = time.time(); run(n); print(time.time() - t)
            assert_close(n, n)
        """, [17, 8]),
    "no clock": ("for n in [17, 8]:\n    x = rand(n)\n    run(n)", [17, 8]),
    "a training loop": (
        """
        x = rand(4)
        for step in range(3):
            t = time.time()
            run(step)
            print(step, time.time() - t)
        """, [0, 1, 2]),
    "no sizes": (
        """
        for name in ["a", "b"]:
            x = empty(3, *[] if name else [])
            t = time.time(); run(name); print(time.time() - t)
        """, ["a", "b"]),
    "no launch": (
        """
        for n in [17, 8]:
            x = rand(n); seen.append(n)
            t = time.time(); print(time.time() - t)
        """, [17, 8]),
}  # fmt: skip


def went(code, plan):
    text = START.replace("    for _ in range(3):\n        f()", "    f()") + textwrap.dedent(code)
    tree = ast.parse(text)
    host_watch.watch(tree, "sweep.py")
    namespace = {"itertools": itertools}
    host_watch.attach(namespace)
    with run_notes.taking(run_notes.RunNotes()) as notes, benchmarks.skipped(plan):
        exec(compile(ast.fix_missing_locations(tree), "sweep.py", "exec"), namespace)
    return namespace["seen"], [finding for finding in notes.findings if "sweep" in finding.message]


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_goes_once_at_its_smallest_size(name):
    code, sizes, times = SWEEPS[name]
    seen, notes = went(code, benchmarks.Plan())
    assert seen == sizes
    assert len(notes) == 1
    assert notes[0].hint == benchmarks.HOW_TO_RUN
    ending = "" if times is None else f", instead of {times} times"
    assert notes[0].message.endswith(f"went once, at its smallest size{ending}")


def test_a_sweep_that_was_asked_for_goes_through_all_sizes():
    seen, notes = went(SWEEPS["results"][0].replace("== 1", "== 3"), benchmarks.Plan(timed=True))
    assert (seen, notes) == ([512, 128, 256], [])


@pytest.mark.parametrize("name", OTHERS)
def test_other_loops_go_on(name):
    code, sizes = OTHERS[name]
    assert went(code, benchmarks.Plan()) == (sizes, [])


def test_an_endless_sweep_is_given_back_as_it_was():
    with benchmarks.skipped(benchmarks.Plan()):
        pairs = iter(benchmarks.sizes(zip(itertools.count(5), itertools.count(), strict=False)))
    assert list(itertools.islice(pairs, 10_000, 10_002)) == [(10_005, 10_000), (10_006, 10_001)]
