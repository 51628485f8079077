"""What an L2 would fetch for a launch, with a session."""

import numpy as np
import pytest

from playground.engine.counter_layout import Layout, StorageSlot, TensorView
from playground.engine.findings import NotCountedError
from playground.engine.outline import Outline, runs_of
from playground.engine.reuse import CacheModel, cache_of, cache_reuse
from playground.model.config import Config
from playground.model.device import DeviceInfo
from tests.engine.coverage_parts import in_child

INTERPRETER = DeviceInfo("interpreter", "CPU", "cuda:90", "2", "3", "3.11")


def test_bytes_are_told_apart_by_tensor():
    # Two tensors of 64 floats (two lines each) in one storage: the first is read twice, the second
    # stored once.
    layout = Layout(
        (StorageSlot(1024, 512, 4, False, 0, 128, "x"),),
        (TensorView("x", (64,), (1,), 0, 0, "fp32", 4),
         TensorView("y", (64,), (1,), 64, 0, "fp32", 4)),
        128,
    )  # fmt: skip
    two = runs_of(np.arange(2))
    nothing = runs_of(np.arange(0))
    outline = Outline(
        np.array([0, 0, 1, 1]), np.array([8, 10, 8, 0]), np.array([1, 1, 1, 0]),
        np.array([1024, 1280, 1024, -1]), np.array([256, 256, 256, 0]), (nothing, two), 2,
    )  # fmt: skip
    large = CacheModel("a cache", 1 << 20, 1, 1)
    found = cache_reuse(outline, layout, large, launch=3, config=Config(), programs=2)
    assert found.requested_bytes == 768
    assert found.least_bytes == found.fetched_bytes == 512
    assert found.per_tensor == (("x", 512, 256), ("y", 256, 256))
    assert found.order == "launch order, one program at a time (1 on each of 1 multiprocessors), " \
        "access by access"  # fmt: skip
    small = CacheModel("a cache", 256, 1, 2)
    found = cache_reuse(outline, layout, small, launch=3, config=Config(), programs=5)
    # In turns x, x again, y: a cache of two lines holds x for the second program.
    assert found.per_tensor == (("x", 512, 256), ("y", 256, 256))
    assert "the first 2 of 5 programs" in found.notes[0]
    alone = CacheModel("a cache", 256, 1, 1)
    found = cache_reuse(outline, layout, alone, launch=3, config=Config(), programs=2)
    assert found.per_tensor == (("x", 512, 512), ("y", 256, 256))  # y came between


def nothing(programs):
    """Return the outline of programs that touch nothing."""
    none = np.zeros(0, np.int64)
    return Outline(none, none, none, none, none, (runs_of(none),), programs)


def test_the_order_is_told_for_any_number_of_programs():
    model = CacheModel("a cache", 256, 2, 4)
    assert model.order_text(0) == "no programs"
    assert model.order_text(1) == "one program, access by access"
    assert model.order_text(8) == "all 8 programs at a time, access by access"
    assert model.order_text(9) == "launch order, 8 programs at a time (4 on each of 2 " \
        "multiprocessors), access by access"  # fmt: skip


def test_programs_that_touch_nothing_fetch_nothing():
    layout = Layout((), (), 0)
    cache = CacheModel("a cache", 1024, 1, 1)
    for programs in (0, 3):
        found = cache_reuse(
            nothing(programs), layout, cache, launch=0, config=Config(), programs=programs
        )
        assert (found.requested_bytes, found.least_bytes, found.fetched_bytes) == (0, 0, 0)
        assert found.per_tensor == ()
    with pytest.raises(NotCountedError, match="one program alone"):
        cache_reuse(nothing(0), layout, cache, launch=0, config=Config(), programs=3)


def test_the_cache_is_the_target_s_or_the_machine_s():
    cache, notes = cache_of("cuda:80", INTERPRETER, None)
    assert (cache.multiprocessors, cache.per_multiprocessor) == (108, 1)
    assert cache.cache_bytes == 40 << 20
    assert "one is assumed" in notes[0]
    machine = DeviceInfo("gpu", "NVIDIA H200", "cuda:90", "2", "3", "3.11", multiprocessors=99,
                         l2_bytes=1234)  # fmt: skip
    cache, _ = cache_of("cuda:90", machine, None)
    assert (cache.cache_bytes, cache.multiprocessors) == (1234, 99)
    assert cache.name == "the L2 of NVIDIA H200"
    with pytest.raises(LookupError, match="cuda:70"):
        cache_of("cuda:70", INTERPRETER, None)


def test_a_session_estimates_the_reuse_of_a_product(run_engine):
    found = run_engine(
        """
        import playground
        from playground.engine.job import Job
        from playground.engine.server_jobs import JOBS
        from playground.protocol.programs import GetReuse
        play = playground.open(KERNELS / "matmul.py")
        play.run("example(m=256, n=256, k=128)")
        config = play.launches[0].info.config.updated(
            {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32})
        reply = JOBS[GetReuse](play, GetReuse(0, config, "cuda:80"), Job())
        counted = play.coverage(config=config)
        again = play.reuse(config=config, target="cuda:80")
        reuse = reply.reuse
        answer([
            reuse.requested_bytes, counted.bytes_requested, reuse.least_bytes,
            reuse.fetched_bytes, reuse.cache_of, reuse.order, list(reuse.per_tensor),
            again is reuse, list(reuse.notes),
        ])
        """
    )
    requested, counted, least, fetched, cache_of_text, order, per_tensor, kept, notes = found
    assert requested == counted
    size = 4 if least > 300_000 else 2  # of an element, whatever the example's dtype is
    assert least == size * (256 * 128 + 128 * 256 + 256 * 256)
    assert fetched == least  # all of it fits into an L2
    assert "A100" in cache_of_text
    assert order == "all 64 programs at a time, access by access"
    # Every element of a and b is loaded by the eight programs of its row or column of tiles.
    named = {name: (asked, came) for name, asked, came in per_tensor}
    assert named["a_ptr"] == (8 * size * 256 * 128, size * 256 * 128)
    assert named["b_ptr"] == (8 * size * 256 * 128, size * 256 * 128)
    assert named["c_ptr"] == (size * 256 * 256, size * 256 * 256)
    assert kept
    assert notes == []


def test_groups_of_a_product_fetch_what_arithmetic_says(tmp_path):
    # 16 × 16 tiles of 32 × 32 floats, two steps along K: a step of A or B is 32 lines, a tile of C
    # too. 16 programs at a time; the cache holds a wave and what it stores, and no more.
    told = in_child(
        """
import torch
from playground.engine.job import Job
from playground.engine.outline import outlined
from playground.engine.replay_layout import layout_for
from playground.engine.reuse import CacheModel, cache_reuse
matmul = load("matmul")
a, b = matmul.inputs(512, 512, 64, torch.float32)
launch = captured(lambda: matmul.matmul(a, b))[-1]
cache = CacheModel("a small cache", 1300 * 128, 16, 1)
for group in (1, 4):
    ready = prepared(launch, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32, GROUP_M=group)
    found = cache_reuse(outlined(ready, Job()), layout_for(ready), cache, launch=0,
                        config=ready.config, programs=256)
    answer[str(group)] = [found.fetched_bytes // 128, found.least_bytes // 128,
                          {name: came // 128 for name, _, came in found.per_tensor}]
""",
        interpret=True,
        tmp_path=tmp_path,
    )
    least = 512 * 64 * 4 // 128 * 2 + 512 * 512 * 4 // 128
    waves, stored, step = 16, 256 * 32, 2 * 32
    fetched, distinct, by_tensor = told["1"]
    assert distinct == least
    # Row by row a wave has one row of A and all of B, which is gone when the next one begins.
    assert by_tensor == {"a_ptr": waves * step, "b_ptr": waves * 16 * step, "c_ptr": stored}
    grouped, distinct, by_tensor = told["4"]
    assert distinct == least
    # Four rows of A stay for the four waves of a group; each wave has four other columns of B.
    assert by_tensor == {
        "a_ptr": waves // 4 * 4 * step, "b_ptr": waves * 4 * step, "c_ptr": stored,
    }  # fmt: skip
    assert (fetched - stored) / (grouped - stored) == (1 + 16) / (1 + 4)
