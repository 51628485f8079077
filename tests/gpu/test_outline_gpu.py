"""Accesses in outline on the GPU, against recordings made there, and the time it takes."""

import pytest

from tests.engine.coverage_parts import in_child

pytestmark = pytest.mark.gpu


def test_launches_on_the_gpu_in_outline(tmp_path):
    told = in_child(
        "from tests.engine import outlined_kernels\nanswer = outlined_kernels.facts()",
        interpret=False,
        tmp_path=tmp_path,
    )
    assert sorted(told) == ["beyond", "gathered", "ragged", "scalars", "tiled"]
    assert not any(told.values())


def test_the_reuse_of_products(run_engine):
    found = run_engine(
        """
        import time, playground
        play = playground.open(KERNELS / "matmul.py")
        blocks = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 8}
        told = {}
        for size in (4096, 8192):
            play.run(f"example(m={size}, n={size}, k={size})")
            for group in (1, 8):
                start = time.perf_counter()
                reuse = play.reuse(**blocks, GROUP_M=group)
                told[f"{size} {group}"] = [
                    reuse.requested_bytes, reuse.least_bytes, reuse.fetched_bytes,
                    list(reuse.notes), time.perf_counter() - start,
                ]
        answer(told)
        """,
        interpret=False,
    )
    for name, (requested, least, fetched, notes, elapsed_s) in found.items():
        size = int(name.split()[0])
        assert notes == []
        assert requested == 2 * (2 * size // 128 * size * size + size * size)
        assert least == 3 * 2 * size * size
        assert least <= fetched < requested
        assert elapsed_s < 20  # the recording copy is compiled in it
    # All of B (32 MB) stays in the L2 at 4096; at 8192 it does not, and groups of rows pay.
    assert found["4096 1"][2] < 1.2 * found["4096 1"][1]
    assert found["8192 8"][2] < 0.8 * found["8192 1"][2]
