"""A sweep on a real GPU: times, finalists, and configs that poison CUDA or never end."""

from __future__ import annotations

import contextlib
import importlib.util
import textwrap
from pathlib import Path

import pytest

import playground
from playground.engine.benches import WorkersError
from playground.engine.confirming import CHUNK
from playground.engine.gpus import visible_gpus
from playground.model.sweep_plan import SweepPlan
from playground.model.sweep_space import make_space
from playground.model.sweep_workers import Workers

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[2]


def test_matmul_is_ranked_confirmed_and_right() -> None:
    session = playground.open(ROOT / "kernels" / "matmul.py")
    session.run("example()", {"m": 1024, "n": 1024, "k": 1024})
    launch = session.launches[0].info
    values = {"BLOCK_M": (32, 64, 128), "BLOCK_N": (64, 128), "num_warps": (4, 8)}
    space = make_space(launch.knobs, launch.config, values, ("BLOCK_M * BLOCK_N <= 8192",))
    result = session.sweep(0, plan=SweepPlan(space, start=launch.config))
    session.close()
    rows = {row.config: row for row in result.rows}
    assert {row.status for row in rows.values()} == {"correct", "constraint"}
    assert not result.note
    confirmed = [row for row in rows.values() if row.confirmed]
    assert 2 <= len(confirmed) <= 9
    # As many rounds as come in the confirmation's time: other work may be on the GPU.
    assert all(row.samples >= CHUNK for row in confirmed)
    assert rows[launch.config].confirmed
    assert result.best is not None
    assert result.best.place == 1
    fastest = min(row.median_ms for row in confirmed if row.median_ms)
    assert result.best.median_ms <= 1.02 * fastest


def test_a_poisoned_context_and_an_endless_kernel_cost_one_config_each(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(
        textwrap.dedent("""
            import torch, triton, triton.language as tl

            @triton.jit
            def kernel(x, o, n, B: tl.constexpr, STEP: tl.constexpr, FAR: tl.constexpr):
                turn = 0
                while turn < 1:
                    # A volatile load, or the compiler leaves out what never ends.
                    turn += STEP + (tl.load(x, volatile=True) > 1).to(tl.int32)
                i = tl.program_id(0) * B + tl.arange(0, B)
                value = tl.load(x + i + FAR * 1099511627776, i < n)
                tl.store(o + i, value + 1, i < n)

            def example():
                x = torch.zeros(100000, device="cuda")
                o = torch.empty_like(x)
                kernel[lambda m: (triton.cdiv(100000, m["B"]),)](x, o, 100000, B=64, STEP=1, FAR=0)
                return o
        """)
    )
    with contextlib.closing(playground.open(path)) as session:
        session.run()
        launch = session.launches[0].info
        values = {"B": (64, 128, 256), "STEP": (0, 1), "FAR": (0, 1)}
        where = ("STEP == 1 or B == 128 and FAR == 0", "FAR == 0 or B == 256")
        space = make_space(launch.knobs, launch.config, values, where)
        result = session.sweep(0, plan=SweepPlan(space, limit_s=10.0))
        found = {
            (row.config["B"], row.config["STEP"], row.config["FAR"]): row.status
            for row in result.rows
            if row.status != "constraint"
        }
        assert found == {
            (64, 1, 0): "correct", (128, 1, 0): "correct", (256, 1, 0): "correct",
            (128, 0, 0): "timeout", (256, 1, 1): "runtime",
        }  # fmt: skip
        assert session.check().result.status == "correct"


def small_matmul():
    """Return a session with a matmul captured, and a space of six configs."""
    session = playground.open(ROOT / "kernels" / "matmul.py")
    session.run("example()", {"m": 1024, "n": 1024, "k": 1024})
    launch = session.launches[0].info
    values = {"BLOCK_M": (32, 64, 128), "num_warps": (4, 8)}
    return session, make_space(launch.knobs, launch.config, values)


def test_two_workers_share_one_gpu_where_it_is_asked_for() -> None:
    session, space = small_matmul()
    with contextlib.closing(session):
        workers = Workers(len(visible_gpus()) + 1, share=True)
        result = session.sweep(0, plan=SweepPlan(space, workers=workers))
        assert {row.status for row in result.rows} == {"correct"}
        assert "their times disturb each other" in result.note
        assert all("NVIDIA" in row.device for row in result.rows)
        assert result.best is not None
        assert result.best.confirmed


def test_the_gpus_are_those_that_torch_sees() -> None:
    import torch

    seen = [torch.cuda.get_device_properties(n) for n in range(torch.cuda.device_count())]
    assert [gpu.name for gpu in visible_gpus()] == [one.name for one in seen]
    assert [gpu.uuid for gpu in visible_gpus()] == [
        f"GPU-{str(one.uuid).removeprefix('GPU-')}" for one in seen
    ]
    assert [gpu.target for gpu in visible_gpus()] == [
        f"cuda:{one.major * 10 + one.minor}" for one in seen
    ]


def test_more_gpus_than_there_are_is_refused() -> None:
    session, space = small_matmul()
    with contextlib.closing(session), pytest.raises(WorkersError, match="this machine has"):
        session.sweep(0, plan=SweepPlan(space, workers=Workers(len(visible_gpus()) + 1)))


@pytest.mark.skipif(len(visible_gpus()) < 2, reason="needs two GPUs")
def test_two_gpus_are_both_used_and_their_times_put_on_one_scale() -> None:
    session, space = small_matmul()
    with contextlib.closing(session):
        result = session.sweep(0, plan=SweepPlan(space, workers=Workers(2)))
    assert {row.status for row in result.rows} == {"correct"}
    assert all(row.relative is not None for row in result.rows)
    # The finalists, here all but few, ran in turns on one GPU; both took part before.
    assert len({row.device for row in result.rows if row.confirmed}) == 1
    assert "2 workers, each on a GPU of its own" in result.note


@pytest.mark.skipif(importlib.util.find_spec("ipyparallel") is None, reason="no ipyparallel here")
def test_an_engine_of_a_cluster_times_as_a_worker_here_does() -> None:
    session, space = small_matmul()
    with contextlib.closing(session):
        here = session.sweep(0, plan=SweepPlan(space))
        there = session.sweep(0, plan=SweepPlan(space, workers=Workers(1, cluster="local")))
    assert {row.status for row in there.rows} == {"correct"}
    assert here.best is not None
    assert there.best is not None
    assert there.best.median_ms == pytest.approx(here.best.median_ms, rel=0.1)
    assert " of " in there.best.device
