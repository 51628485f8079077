"""Known values of CUDA's occupancy calculator, each worked out by hand in its comment."""

import pytest

from playground.model.occupancy import occupancy
from playground.model.targets import facts_for


@pytest.mark.parametrize(
    ("target", "threads", "registers", "shared", "programs", "limiter"),
    [
        # 4 warps; 64 x 32 = 2048 a warp, 16384 / 2048 = 8 warps a part, 32 warps, 8 programs
        ("cuda:90", 128, 64, 0, 8, "registers"),
        # 32 x 32 = 1024 a warp: 64 warps; as many as there are at all
        ("cuda:90", 128, 32, 0, 16, "warps"),
        # 1 warp of few registers: 32 programs, half of the warps stay empty
        ("cuda:90", 32, 16, 0, 32, "blocks"),
        # 65 registers take 2304 a warp, not 2080: 16384 // 2304 = 7, 28 warps, 7 programs
        ("cuda:90", 128, 65, 0, 7, "registers"),
        # 98304 + 1024 of 233472 twice
        ("cuda:90", 256, 64, 98304, 2, "shared memory"),
        # the most one program may have
        ("cuda:90", 256, 64, 232448, 1, "shared memory"),
        ("cuda:90", 256, 64, 232449, 0, "shared memory"),
        # 255 registers take 8192 a warp: 2 a part, 8 warps; 8 warps fit once
        ("cuda:90", 256, 255, 0, 1, "registers"),
        # 16 warps of 8192 are 131072 registers: cannot be launched
        ("cuda:90", 512, 255, 0, 0, "registers"),
        # 49152 + 1024 = 50176 of 167936 three times; warps would allow 16
        ("cuda:80", 128, 32, 49152, 3, "shared memory"),
        # 48 warps of 4
        ("cuda:86", 128, 32, 0, 12, "warps"),
        # Turing reserves nothing: 65536 / 16384
        ("cuda:75", 64, 32, 16384, 4, "shared memory"),
        # 3 warps: 21 programs are 63 of 64 warps
        ("cuda:90", 96, 32, 0, 21, "warps"),
        # CDNA: 128 registers of 512 a lane: 4 waves a SIMD, 16 a compute unit, 4 waves a program
        ("hip:gfx942", 256, 128, 0, 4, "registers"),
        ("hip:gfx942", 256, 32, 32768, 2, "shared memory"),
    ],
)
def test_known_values(target, threads, registers, shared, programs, limiter):
    gpu = facts_for(target)
    found = occupancy(gpu, threads=threads, registers=registers, shared_bytes=shared)
    assert (found.programs_per_sm, found.limiter) == (programs, limiter)
    assert found.warps_per_sm == programs * -(-threads // gpu.warp_size)
    assert found.max_warps_per_sm == gpu.max_warps_per_sm


def test_too_many_threads_fit_nowhere():
    found = occupancy(facts_for("cuda:90"), threads=2048, registers=16, shared_bytes=0)
    assert (found.programs_per_sm, found.limiter) == (0, "threads")
