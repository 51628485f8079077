import pytest

from playground.model.targets import (
    TargetError,
    facts_for,
    gpus,
    known_targets,
    parse_target,
    target_label,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cuda:90", "cuda:90"),
        (" CUDA:90 ", "cuda:90"),
        ("cuda:9.0", "cuda:90"),
        ("cuda:10.0", "cuda:100"),
        ("cuda:sm_90a", "cuda:90"),
        ("hip:gfx942", "hip:gfx942"),
        ("hip:GFX90A", "hip:gfx90a"),
        ("cuda:103", "cuda:103"),
    ],
)
def test_targets_are_understood(text, name):
    assert parse_target(text).name == name


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("sm_90", "write cuda:90"),
        ("gfx942", "write hip:gfx942"),
        ("H200", "write cuda:90"),
        ("RTX 4090", "write cuda:89"),
        ("cuda:5", "targets are cuda:75"),
        ("", "targets are cuda:75"),
        ("vulkan:1", "targets are cuda:75"),
    ],
)
def test_a_bad_target_says_what_to_write(text, remedy):
    with pytest.raises(TargetError, match=remedy):
        parse_target(text)


def test_warp_size_follows_the_architecture():
    assert parse_target("cuda:90").warp_size == 32
    assert parse_target("hip:gfx942").warp_size == 64
    assert parse_target("hip:gfx1100").warp_size == 32


def test_limits_are_those_of_the_cuda_programming_guide():
    shared = {"cuda:75": 64, "cuda:80": 163, "cuda:86": 99, "cuda:87": 163, "cuda:89": 99,
              "cuda:90": 227, "cuda:100": 227, "cuda:103": 227, "cuda:120": 99}  # fmt: skip
    warps = {"cuda:75": 32, "cuda:80": 64, "cuda:86": 48, "cuda:87": 48, "cuda:89": 48,
             "cuda:90": 64, "cuda:100": 64, "cuda:103": 64, "cuda:120": 48}  # fmt: skip
    blocks = {"cuda:75": 16, "cuda:80": 32, "cuda:86": 16, "cuda:87": 16, "cuda:89": 24,
              "cuda:90": 32, "cuda:100": 32, "cuda:103": 32, "cuda:120": 24}  # fmt: skip
    for target in shared:
        gpu = facts_for(target)
        assert gpu.shared_per_block_bytes == shared[target] * 1024
        assert gpu.max_warps_per_sm == warps[target]
        assert gpu.max_blocks_per_sm == blocks[target]
        assert gpu.registers_per_sm == 65536


def test_every_row_is_consistent():
    for gpu in gpus():
        assert parse_target(gpu.target).warp_size == gpu.warp_size, gpu.name
        assert gpu.shared_per_block_bytes + gpu.shared_reserved_bytes <= gpu.shared_per_sm_bytes
        assert gpu.register_unit % gpu.warp_size == 0
        assert gpu.source
    assert len({gpu.name for gpu in gpus()}) == len(gpus())


def test_the_machines_name_picks_among_gpus_of_one_target():
    assert facts_for("cuda:90").name == "NVIDIA H100 SXM"
    assert facts_for("cuda:90", "NVIDIA H200").name == "NVIDIA H200"
    assert facts_for("cuda:90", "NVIDIA H100 80GB HBM3").name == "NVIDIA H100 SXM"
    assert facts_for("cuda:80", "NVIDIA A100-SXM4-40GB").memory_bytes == 40_000_000_000
    assert facts_for("cuda:80", "NVIDIA A100-SXM4-80GB").memory_bytes == 80_000_000_000
    assert facts_for("cuda:110") is None


def test_peaks_and_labels():
    assert facts_for("cuda:90").peak("fp16") == 989.4
    assert facts_for("cuda:75").peak("fp8") is None
    assert target_label("cuda:90") == "cuda:90 (NVIDIA H100 SXM, NVIDIA H200)"
    assert target_label("cuda:110") == "cuda:110"
    assert known_targets()[0] == "cuda:75"
