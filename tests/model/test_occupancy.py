"""Known values of CUDA's occupancy calculator, each worked out by hand in its comment."""

import pytest

from playground.model.config import Config
from playground.model.occupancy import gains, occupancy
from playground.model.targets import facts_for, gpus


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


def programs(target, threads, registers, shared=0):
    found = occupancy(facts_for(target), threads=threads, registers=registers, shared_bytes=shared)
    return found.programs_per_sm


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90", "cuda:100"])
@pytest.mark.parametrize(("threads", "expected", "share"), [(128, 12, 75), (320, 4, 63)])
def test_the_example_of_nvidias_best_practices_guide(target, threads, expected, share):
    """37 registers a thread on a multiprocessor of 64 warps and 65536 registers.

    Plain division would give 13 and 5: registers are handed out in units, to four parts. The guide
    tells it for compute capability 7.0, whose limits of warps and registers these targets share.
    """
    found = occupancy(facts_for(target), threads=threads, registers=37, shared_bytes=0)
    assert found.programs_per_sm == expected
    assert round(100 * found.warps_per_sm / found.max_warps_per_sm + 1e-9) == share


def test_the_example_of_an_a6000_by_simon_boehm():
    """His worklog on fast matrix products: 1024 threads, 37 registers, 8 KiB fit once on 8.6."""
    found = occupancy(facts_for("cuda:86"), threads=1024, registers=37, shared_bytes=8192)
    assert (found.programs_per_sm, found.warps_per_sm, found.max_warps_per_sm) == (1, 32, 48)
    # By shared memory alone there were 11: (8192 + 1024) into 102400.
    assert programs("cuda:86", 32, 16, 8192) == 11


# What LLVM's unit tests print of vector registers and waves a SIMD (reviews.llvm.org/D138443):
# the fewest and the most registers with which so many waves are held, on gfx90a and gfx94x.
LLVM_WAVES = [
    (8, 1, 64), (7, 65, 72), (6, 73, 80), (5, 81, 96), (4, 97, 128), (3, 129, 168), (2, 169, 256),
    (1, 257, 512),
]  # fmt: skip


@pytest.mark.parametrize("target", ["hip:gfx90a", "hip:gfx942"])
@pytest.mark.parametrize(("waves", "fewest", "most"), LLVM_WAVES)
def test_waves_by_registers_are_those_of_llvm(target, waves, fewest, most):
    for registers in (fewest, most):
        # Programs of four waves, one on each of the four SIMDs.
        assert programs(target, 256, registers) == waves, registers


# Full multiprocessors: threads a program that just reach the limit of warps, by NVIDIA's tuning
# guides (Turing, Ampere, Ada, Hopper, Blackwell): warps, programs, shared memory for one program.
GUIDES = [
    ("cuda:75", 32, 16, 64), ("cuda:80", 64, 32, 163), ("cuda:86", 48, 16, 99),
    ("cuda:89", 48, 24, 99), ("cuda:90", 64, 32, 227), ("cuda:100", 64, 32, 227),
]  # fmt: skip


@pytest.mark.parametrize(("target", "warps", "most", "shared_kib"), GUIDES)
def test_the_limits_of_the_tuning_guides(target, warps, most, shared_kib):
    assert programs(target, 32, 16) == most
    assert programs(target, 32 * warps // most, 16) == most  # warps and programs run out together
    assert programs(target, 128, 32, shared_kib * 1024) == 1
    assert programs(target, 128, 32, shared_kib * 1024 + 1) == 0


def test_workgroups_of_one_wave_are_not_limited_to_sixteen():
    """LLVM, getMaxWorkGroupsPerCU: they need no barrier, so all 32 waves can be theirs."""
    assert programs("hip:gfx942", 64, 32) == 32
    assert programs("hip:gfx942", 128, 32) == 16


CONFIG = Config.of({"BLOCK": 128, "num_warps": 8, "num_stages": 4})


def gained(target, threads, registers, shared, config=CONFIG):
    found = gains(
        facts_for(target), threads=threads, registers=registers, shared_bytes=shared,
        config=config, blocks=["BLOCK"],
    )  # fmt: skip
    return {item.resource: item for item in found}


def test_the_nearest_register_count():
    # 65 registers take 2304 a warp: 7 programs of 4 warps; 64 take 2048: 8 programs.
    found = gained("cuda:90", 128, 65, 0, CONFIG.with_value("num_warps", 4))
    assert (found["registers"].value, found["registers"].programs_per_sm) == (64, 8)
    assert "maxnreg=64" in found["registers"].text
    assert programs("cuda:90", 128, 64) == 8
    assert programs("cuda:90", 128, 65) == 7


def test_the_nearest_shared_memory_and_the_stages_that_take_it():
    # (131072 + 1024) fits once into 233472; half of that less what is reserved fits twice.
    found = gained("cuda:90", 256, 64, 131072)
    shared = found["shared memory"]
    assert (shared.value, shared.programs_per_sm) == (115712, 2)
    assert programs("cuda:90", 256, 64, 115712) == 2
    assert programs("cuda:90", 256, 64, 115713) == 1
    # A stage takes 32768: three take 98304.
    assert "num_stages=3 takes about 98,304" in shared.text
    assert "BLOCK=64 takes 65,536 at best" in shared.text
    assert "registers" not in found


def test_both_have_to_give_way():
    # A100: 187 registers of 8 warps fit once, and so do 98304 bytes.
    found = gained("cuda:80", 256, 187, 98304)["registers and shared memory"]
    assert (found.value, found.programs_per_sm) == (128, 2)
    assert "82,944 bytes" in found.text
    assert programs("cuda:80", 256, 128, 82944) == 2
    assert programs("cuda:80", 256, 129, 82944) == programs("cuda:80", 256, 128, 82945) == 1


def test_other_warps():
    # One warp a program: 32 programs are 32 of 64 warps; two warps each are all 64.
    found = gained("cuda:90", 32, 16, 0, CONFIG.with_value("num_warps", 1))
    assert found["num_warps"].value == 2
    assert "64 of 64 warps instead of 32" in found["num_warps"].text
    # Full is full.
    assert gained("cuda:90", 128, 32, 0, CONFIG.with_value("num_warps", 4)) == {}


def test_what_makes_it_fit_at_all():
    found = gained("hip:gfx942", 256, 64, 98304)["shared memory"]
    assert (found.value, found.programs_per_sm) == (65536, 1)
    assert "instead of 0" in found.text


def test_every_gain_is_the_nearest():
    """Each value gives what it says and the next one up does not, on all targets of the table."""
    for gpu in gpus():
        for warps in (1, 4, 8):
            for registers in (24, 63, 96, 168, 255):
                for shared in (0, 8192, 49152):
                    limits = {"threads": warps * gpu.warp_size, "registers": registers,
                              "shared_bytes": shared}  # fmt: skip
                    now = occupancy(gpu, **limits).programs_per_sm
                    config = CONFIG.with_value("num_warps", warps)
                    for gain in gains(gpu, **limits, config=config):
                        key = {"registers": "registers", "shared memory": "shared_bytes"}.get(
                            gain.resource
                        )
                        if key is None:
                            continue
                        at = occupancy(gpu, **{**limits, key: gain.value}).programs_per_sm
                        above = occupancy(gpu, **{**limits, key: gain.value + 1}).programs_per_sm
                        assert at == gain.programs_per_sm > now, (gpu.name, limits, gain)
                        assert above == now, (gpu.name, limits, gain)
