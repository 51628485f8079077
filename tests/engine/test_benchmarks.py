"""A file's own benchmarks: left out, or once at their smallest size where nothing else launches."""

from __future__ import annotations

import timeit

import pytest
import triton.testing

from playground.engine import benchmarks, run_notes, unmeasured


def report(sizes=(64, 16, 1 << 27)):
    calls: list = []

    @triton.testing.perf_report(
        triton.testing.Benchmark(
            x_names=["n", "m"], x_vals=list(sizes), line_arg="provider",
            line_vals=["torch", "triton", "missing"], line_names=["a", "b", "c"],
            plot_name="p", args={"k": 3},
        )
    )  # fmt: skip
    def bench(n, m, provider, k, extra=0):
        calls.append((n, m, provider, k, extra))
        if provider == "missing":
            raise ModuleNotFoundError("no such library")
        return triton.testing.do_bench(lambda: calls.append(provider))

    return bench, calls


def run(launches: int):
    return benchmarks.skipped(benchmarks.Plan(lambda: launches))


@pytest.fixture
def notes():
    with run_notes.taking(run_notes.RunNotes()) as taken:
        yield taken


def test_a_sweep_is_left_out(notes) -> None:
    bench, calls = report()
    with run(launches=1):
        assert bench.run(print_data=True, save_path="/nowhere") is None
    assert calls == []
    assert [finding.message for finding in notes.findings] == ["benchmark skipped"]
    assert "benchmarks=True" in notes.findings[0].hint


def test_the_only_launcher_goes_once_at_its_smallest_size(notes) -> None:
    bench, calls = report([(64, 2), (16, 4), (1 << 27, 1)])
    with run(launches=0):
        bench.run(extra=5)
        bench.run()
    sizes = (16, 4) if 64 < 128 else (64, 2)
    assert calls == [
        (*sizes, "triton", 3, 5), "triton", (*sizes, "torch", 3, 5), "torch",
        (*sizes, "missing", 3, 5),
    ]  # fmt: skip
    told = [finding.message for finding in notes.findings]
    assert told[0] == "benchmark ran once at its smallest size, unmeasured"
    assert "'missing' cannot run: no such library" in told[1]


def test_times_have_the_shape_that_was_asked_for(notes) -> None:
    with run(launches=1):
        do_bench = triton.testing.do_bench
        assert str(do_bench(print)) == unmeasured.SHOWN
        assert len(do_bench(print, quantiles=[0.5, 0.2, 0.8])) == 3
        assert len(do_bench(print, return_mode="all")) == 1
    assert len(notes.findings) == 1


def test_the_same_is_done_when_the_driver_runs_again(notes) -> None:
    plan = benchmarks.Plan(lambda: 0)
    calls: list = []
    for again in (plan, plan.again(), plan.again()):
        with benchmarks.skipped(again):
            triton.testing.do_bench(lambda: calls.append(1))
    assert len(calls) == 3


def test_others_are_left_alone() -> None:
    calls: list = []
    kept = triton.testing.do_bench
    with run(launches=1):
        # Nobody of the user's is on the stack.
        assert timeit.timeit(lambda: calls.append(1), number=3) > 0
        inside = triton.testing.do_bench
    assert len(calls) == 3
    assert triton.testing.do_bench is kept
    assert inside is not kept
