from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu
KERNELS = Path(__file__).resolve().parents[2] / "kernels"


@pytest.fixture(scope="module")
def session():
    import playground

    session = playground.open(KERNELS / "vector_add.py")
    session.run("example()", {"size": 1 << 24})
    session.coverage(0)
    yield session
    session.close()


def test_the_hardware_counts_every_launch_and_the_bytes_come_from_counting(session):
    measurement = session.bench(0, budget_ms=50, cache="cold")
    assert measurement.source == "cupti"
    assert len(measurement.samples_ms) >= 10
    assert measurement.bytes_unique == 3 * 4 * (1 << 24)
    # 2^24 elements cannot move faster than the copy engine's rate; reads and writes overlap alike.
    from playground.engine.ceilings import copy_gbps

    assert 0.3 < measurement.bandwidth_gbps / copy_gbps() < 1.3


def test_events_agree_with_the_hardware_records_for_a_long_kernel(session):
    import torch

    from playground.engine.clocks import events
    from playground.engine.clocks.work import Work
    from playground.model.statistics import median

    session.run("example()", {"size": 1 << 27})
    prepared = session.prepare(0)
    measurement = session.bench(0, budget_ms=200, cache="warm")
    samples = events.sample(Work(prepared.run), 60)[5:]
    torch.cuda.synchronize()
    assert median(samples) == pytest.approx(measurement.median_ms, rel=0.05)


def test_warm_is_faster_than_cold_where_the_data_fits_the_cache(session):
    session.run("example()", {"size": 1 << 20})
    session.coverage(0)
    cold = session.bench(0, budget_ms=50, cache="cold")
    warm = session.bench(0, budget_ms=50, cache="warm")
    assert (cold.cache, warm.cache) == ("cold", "warm")
    assert warm.median_ms < cold.median_ms
    assert cold.host_ms is not None


def test_the_gpu_state_is_recorded(session):
    measurement = session.bench(0, budget_ms=20, cache="cold")
    assert measurement.after.sm_clock_mhz
    assert measurement.after.temperature_c


def test_an_in_place_kernel_gives_the_same_result_after_being_timed(tmp_path):
    import torch

    import playground

    path = tmp_path / "inplace.py"
    path.write_text(
        "import torch, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def double(x_ptr, n, B: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)\n"
        "def example(n: int = 5000):\n"
        "    x = torch.ones(n, device='cuda')\n"
        "    double[lambda m: (triton.cdiv(n, m['B']),)](x, n, B=256)\n"
        "    return x\n"
    )
    session = playground.open(path)
    session.run("example()")
    session.coverage(0)
    session.bench(0, budget_ms=20, cache="cold")
    assert session.check(0).result.status == "correct"
    assert float(session.launches[0].arguments["x_ptr"].max()) == 2.0
    assert torch.cuda.is_available()
    session.close()


def test_a_sweep_on_the_gpu_times_correct_configs_and_keeps_every_failure():
    import playground

    session = playground.open(KERNELS / "vector_add.py")
    session.run("example()", {"size": 1 << 22})
    launch = session.launches[0].info
    configs = [
        launch.config.updated({"BLOCK_SIZE": block, "num_warps": warps})
        for block in (128, 1024)
        for warps in (2, 4)
    ]
    result = session.sweep(0, configs=configs, budget_ms=20)
    assert [row.status for row in result.rows] == ["correct"] * 4
    assert result.best is not None
    assert all(row.median_ms for row in result.rows)
    session.close()
