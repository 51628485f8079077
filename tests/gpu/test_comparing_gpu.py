"""Comparisons, curves, ceilings, energy, host cost and Nsight Compute on a real GPU."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu
KERNELS = Path(__file__).resolve().parents[2] / "kernels"


@pytest.fixture(scope="module")
def add():
    import playground

    session = playground.open(KERNELS / "vector_add.py")
    session.run("example()", {"size": 1 << 24})
    session.compile(0)  # so that the worker is there before any single test
    yield session
    session.close()


def test_a_config_is_as_fast_as_itself(add):
    config = add.launches[0].info.config
    result = add.compare(0, config, config, budget_ms=300)
    assert result.verdict in ("same", "unsure")
    assert result.source == "cupti"
    assert abs(result.ratio - 1) < 0.01
    assert result.rounds >= 20


def test_more_rounds_are_added_to_a_comparison(add):
    config = add.launches[0].info.config
    first = add.compare(0, config, config, budget_ms=50)
    more = add.compare(0, config, config, budget_ms=50, more=first)
    assert more.rounds > first.rounds
    assert more.a_ms[: first.rounds] == first.a_ms


def test_a_worse_config_is_slower(add):
    launch = add.launches[0].info
    # A million programs of 16 elements each: starting them takes longer than the bytes do.
    worse = launch.config.updated({"BLOCK_SIZE": 16, "num_warps": 1})
    result = add.compare(0, worse, launch.config, budget_ms=1000)
    assert result.verdict == "slower", result.text()


def test_torch_and_the_reference_are_rivals(add):
    typed = add.compare(0, None, "torch.add(x_ptr, y_ptr)", budget_ms=300)
    reference = add.compare(0, None, "reference", budget_ms=300)
    # Both are one elementwise kernel over the same bytes: within a tenth of each other.
    assert 0.9 < typed.ratio < 1.1, typed.text()
    assert 0.9 < reference.ratio < 1.1, reference.text()


def test_an_expression_without_gpu_work_is_refused(add):
    from playground.engine.comparing import NotTimedError

    with pytest.raises(NotTimedError, match="nothing on the GPU"):
        add.compare(0, None, "1 + 1")


def test_another_files_kernel_is_a_rival(add, tmp_path):
    other = tmp_path / "other.py"
    text = (KERNELS / "vector_add.py").read_text()
    other.write_text(text.replace("size: int = 98432", f"size: int = {1 << 24}"))
    result = add.compare(0, None, str(other), budget_ms=300)
    assert 0.95 < result.ratio < 1.05, result.text()
    assert result.b.startswith("other.py: ")
    # Its own default is another size: it is run with ours, and moves the same bytes.
    other.write_text(text)
    again = add.compare(0, None, str(other), budget_ms=300)
    assert 0.95 < again.ratio < 1.05, again.text()
    assert not [note for note in again.notes if "not the same work" in note]


def test_a_curve_grows_with_the_size_and_resumes(add):
    from dataclasses import replace

    from playground.model.curve import axis

    sizes = axis("size", 1 << 14, 1 << 22, 3, "log")
    curve = add.curve(0, sizes, budget_ms=20)
    assert [row.reason for row in curve.rows] == [""] * 6
    ours = curve.of_line(curve.lines[0])
    assert [row.median_ms for row in ours] == sorted(row.median_ms for row in ours)
    assert [row.bytes_unique for row in ours] == [12 * dict(row.sizes)["size"] for row in ours]
    part = replace(curve, rows=curve.rows[:4])
    resumed = add.curve(0, sizes, budget_ms=20, before=part)
    assert resumed.rows[:4] == part.rows
    assert len(resumed.rows) == 6
    # The session itself was left as it was.
    assert add.sizes == {"size": 1 << 24}


def test_ceilings_are_plausible_and_kept(add):
    ceilings, standing = add.roofline(0)
    again, _ = add.roofline(0)
    assert ceilings == again
    assert ceilings.measured
    # The data sheet's bandwidth is a bound that a copy comes near to.
    from playground.model.targets import facts_for

    gpu = facts_for(add.device.target, add.device.name)
    assert 0.5 < ceilings.copy_gbps / gpu.bandwidth_gbps <= 1.0
    assert ceilings.l2_gbps > ceilings.copy_gbps
    for kind in ("fp16", "tf32"):
        assert 0.4 < ceilings.rate(kind) / gpu.peak(kind) <= 1.0, kind
    add.bench(0, budget_ms=50)
    _, standing = add.roofline(0)
    assert standing.bound == "memory"
    assert 0.5 < standing.share < 1.1


def test_the_host_pays_least_for_a_cached_call(add):
    cost = add.host_cost(0)
    assert cost.cached_ms < cost.cold_start_ms < cost.first_call_ms
    assert add.check(0).result.status == "correct"


def test_sizes_that_move_together_are_run_together():
    import playground
    from playground.model.curve import Line, axis

    session = playground.open(KERNELS / "matmul.py")
    session.run()
    config = session.launches[0].info.config
    curve = session.curve(0, axis("m,n,k", 256, 1024, 3), [Line("it", config)], budget_ms=20)
    assert [row.reason for row in curve.rows] == [""] * 3
    # 2 n^3 operations: a product of square matrices at each size.
    assert [row.flops for row in curve.rows] == [2 * n**3 for n in (256, 512, 1024)]
    session.close()


def test_energy_is_power_times_time(add):
    energy = add.energy(0)
    assert energy.elapsed_s >= 1
    assert energy.joules * energy.launches == pytest.approx(
        energy.power_w * energy.elapsed_s, rel=1e-6
    )
    assert 50 < energy.power_w < 1500


@pytest.mark.skipif(shutil.which("ncu") is None, reason="Nsight Compute is not installed")
def test_nsight_looks_at_exactly_this_launch(add):
    report = add.nsight(0)
    assert report.kernel.startswith("add_kernel")
    assert report.value("Registers Per Thread") == add.compile(0).report.registers
    duration = report.value("Duration")
    measured = add.bench(0, budget_ms=50).median_ms
    unit = next(item.unit for item in report.metrics if item.name == "Duration")
    scale = {"ns": 1e-6, "nsecond": 1e-6, "us": 1e-3, "usecond": 1e-3, "ms": 1.0}[unit]
    assert duration * scale == pytest.approx(measured, rel=0.25)
    # Vector add does nothing but move memory. The states of a warp together are its cycles from one
    # instruction to the next, which another section of the same report says as well.
    assert report.stalls
    assert report.stalls[0].reason in ("long_scoreboard", "lg_throttle", "drain")
    issued = 1 - sum(stall.share for stall in report.stalls)
    cycles = sum(stall.cycles for stall in report.stalls) / (1 - issued)
    assert cycles == pytest.approx(report.value("Warp Cycles Per Issued Instruction"), rel=0.1)
    assert not [item.name for item in report.metrics if "stalled" in item.name]


def test_a_files_own_benchmark_is_timed_by_our_clock(tmp_path):
    import playground

    path = tmp_path / "own.py"
    path.write_text("""
import torch, triton, triton.language as tl

@triton.jit
def copy(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n), i < n)

@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[1 << 20, 1 << 22], line_arg="provider",
    line_vals=["triton", "torch"], line_names=["Triton", "Torch"], ylabel="GB/s",
    plot_name="copy", args={}))
def benchmark(n, provider):
    x = torch.rand(n, device="cuda")
    o = torch.empty_like(x)
    run = {"triton": lambda: copy[(triton.cdiv(n, 1024),)](x, o, n, B=1024),
           "torch": lambda: o.copy_(x)}[provider]
    ms, low, high = triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8])
    return tuple(8 * n / (value * 1e6) for value in (ms, high, low))

def example(n: int = 5000):
    x = torch.rand(n, device="cuda")
    o = torch.empty_like(x)
    copy[(triton.cdiv(n, 1024),)](x, o, n, B=1024)
    return o
""")
    session = playground.open(path)
    session.run()
    curve = session.own_curve("benchmark", budget_ms=20)
    assert len(curve.rows) == 4
    for row in curve.rows:
        assert row.reason == ""
        assert row.own == pytest.approx(8 * dict(row.sizes)["n"] / (row.median_ms * 1e6), rel=0.02)
    session.close()
