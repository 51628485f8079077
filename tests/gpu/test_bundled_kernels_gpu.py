"""Every bundled kernel on the GPU: right at the interpreter test's sizes and at full size."""

from __future__ import annotations

import pytest

from tests.engine.ragged_cases import KERNELS as RAGGED
from tests.engine.test_bundled_kernels import (
    BRAIN,
    CASES,
    CODE,
    EXACT,
    GROUPS,
    HALF,
    SINGLE,
)
from tests.engine.test_bundled_kernels_ragged import GRADIENTS, code

pytestmark = pytest.mark.gpu
DRAWS = 6

FULL_SIZE: dict[str, tuple[str, tuple[float, float]]] = {
    "autotuned": ("n_rows=4096, n_cols=5000", SINGLE),
    "debugging": ("n=10_000_019", SINGLE),
    "dot_pipeline": ("n_rows=8192, n_cols=8192", HALF),
    "dropout": ("n=10_000_019", SINGLE),
    "flash_attention": ("batch=2, heads=8, length=2048, head=64", HALF),
    "gather_scatter": ("n_rows=5000, n_cols=768, n_indices=20_000", (1e-3, 1e-3)),
    "grid_stride": ("n=50_000_017", SINGLE),
    "grouped_gemm": ("m=2000, n=1500, k=1024", HALF),
    "heuristics": ("n_rows=20_000, n_cols=1000", SINGLE),
    "layer_norm": ("n_rows=4096, n_cols=4096", (1e-3, 1e-3)),
    "matmul": ("m=2047, n=2049, k=1023", HALF),
    "matmul_descriptors": ("m=2040, n=2048, k=1032", HALF),
    "matmul_fp8": ("m=2047, n=2049, k=1024", (1e-2, 0.1)),
    "matmul_int8": ("m=2047, n=2049, k=1024", EXACT),
    "matmul_persistent": ("m=2047, n=2049, k=1023", HALF),
    "reduction": ("n=100_000_007", SINGLE),
    "rms_norm": ("n_rows=8192, n_cols=8193, dtype=torch.bfloat16", BRAIN),
    "scan": ("n_rows=2048, n_cols=10_001", (1e-3, 1e-2)),
    "softmax": ("n_rows=16_384, n_cols=4097", SINGLE),
    "split_k": ("m=64, n=64, k=100_000", (1e-3, 0.1)),
    "stencil_2d": ("height=8191, width=8193", SINGLE),
    "stencil_3d": ("depth=256, height=255, width=257", SINGLE),
    "strided_copy": ("n_rows=8192, n_cols=8000, stride=8192", EXACT),
    "transpose": ("m=8192, n=8188", EXACT),
    "vector_add": ("size=100_000_007", SINGLE),
}


def cases(name: str) -> list[tuple[str, tuple[float, float]]]:
    """Return the interpreter's cases and the full size; the GPU multiplies fp32 as tf32.

    Hopper's tensor cores add products of 8-bit floats with some 13 bits below the largest.
    """
    small = [
        (text, HALF if "float32" in text or name == "matmul_fp8" else limits)
        for text, limits in CASES[name]
    ]
    return [*small, FULL_SIZE[name]]


@pytest.mark.parametrize("group", GROUPS, ids=[group["title"] for group in GROUPS])
def test_kernels_are_right_on_the_gpu(run_engine, group: dict[str, list[str]]):
    code = CODE.format(cases={name: cases(name) for name in group["kernels"]})
    found = run_engine(code, interpret=False)
    assert {name: facts["said"] for name, facts in found.items()} == {name: [] for name in found}
    for name, facts in found.items():
        assert set(facts["verdicts"]) == {"correct"}, name
        assert all(facts["fits"]), name


@pytest.mark.parametrize("part", range(3))
def test_kernels_are_right_at_random_sizes_dtypes_and_seeds_on_the_gpu(run_engine, part: int):
    names = sorted(RAGGED)[part::3]
    found = run_engine(code(names, on_gpu=True, count=DRAWS), interpret=False)
    assert found == {name: [] for name in names}


def test_layer_norm_passes_gradcheck_on_the_gpu(run_engine):
    on_gpu = GRADIENTS.replace("torch.Generator()", 'torch.Generator("cuda")').replace(
        "dtype=torch.float64", 'dtype=torch.float64, device="cuda"'
    )
    assert run_engine(on_gpu, interpret=False) == {"right": True}


def test_every_kernel_has_a_full_size():
    assert sorted(FULL_SIZE) == sorted(CASES)
