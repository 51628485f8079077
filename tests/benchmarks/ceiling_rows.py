"""What `kernel_ceilings.py` times: each bundled kernel at full size, its space, and its ceiling.

A ceiling is one of two. `copy_bytes` is what has to pass through memory, each input read once and
each output written once: then the kernel runs beside a device copy of as many bytes. `rivals` are
the best implementations that torch has (cuBLAS among them): the fastest of those that run counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks import likely_configs as likely

Space = dict[str, tuple[Any, ...]]

WARPS = (4, 8)
MATMUL: Space = {
    "BLOCK_M": (128,), "BLOCK_N": (128, 256), "BLOCK_K": (64,), "GROUP_M": (8, 16),
    "num_warps": WARPS, "num_stages": (3, 4),
}  # fmt: skip
NO_SPILLS = ("BLOCK_M * BLOCK_N == 4096 * num_warps",)
"""As many sums a thread as its registers hold, and no fewer."""


@dataclass(frozen=True)
class Part:
    """One launch of the driver and the values tried for its knobs, under conditions.

    `likely` are a few configs that have been among the best.
    """

    launch: int
    space: Space
    where: tuple[str, ...] = ()
    likely: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `driver` runs the file at full size, `small` at one that the interpreter manages. `setup` is run
    once in the file's namespace before the rivals, which are expressions over it; `also` is what
    our side does besides its launches.
    """

    title: str
    file: str
    driver: str
    small: str
    parts: tuple[Part, ...]
    copy_bytes: int = 0
    setup: str = ""
    rivals: dict[str, str] = field(default_factory=dict)
    also: str = ""
    flops: float = 0.0


def _matmul(title: str, file: str, size: int, space: Space, where: tuple[str, ...]) -> Row:
    call = f"example({size}, {size}, {size}, torch.bfloat16)"
    return Row(
        title, file, call, "example(256, 256, 256, torch.float16)",
        (Part(0, space, where, likely.MATMUL),),
        setup=f"a, b = inputs({size}, {size}, {size}, torch.bfloat16)",
        rivals={"cuBLAS": "torch.mm(a, b)"}, flops=2.0 * size**3,
    )  # fmt: skip


def _softmax(columns: int) -> Row:
    warps = tuple(w for w in (1, 2, 4, 8, 16, 32) if 128 <= columns // w <= 4096)
    return Row(
        f"softmax 4096 x {columns}", "softmax.py", f"example(4096, {columns})",
        f"example(4, {columns})", (Part(0, {"num_warps": warps}),),
        setup=f"x = inputs(4096, {columns})", rivals={"torch.softmax": "torch.softmax(x, 1)"},
    )  # fmt: skip


def _attention(direction: str, causal: bool, head: int) -> Row:
    sizes = f"2, 16, 4096, {head}, {causal}"
    setup = (
        f"q, k, v, dout = inputs(2, 16, 4096, {head}, torch.float16)\n"
        f"from torch.nn.attention import SDPBackend, sdpa_kernel\n"
        "def sdpa(backend):\n"
        "    with sdpa_kernel([backend]):\n"
        "        return torch.nn.functional.scaled_dot_product_attention("
        f"q, k, v, is_causal={causal})\n"
    )
    flops = 4.0 * 2 * 16 * 4096 * 4096 * head * (0.5 if causal else 1.0)
    also = ""
    if direction == "forward":
        parts = (
            Part(
                0,
                {"BLOCK_M": (64, 128), "BLOCK_N": (64, 128), "num_warps": WARPS,
                 "num_stages": (2, 3)},
                ("num_warps * 16 == BLOCK_M",), likely.FORWARD,
            ),
        )  # fmt: skip
        rivals = {
            "flash (torch)": "sdpa(SDPBackend.FLASH_ATTENTION)",
            "cuDNN": "sdpa(SDPBackend.CUDNN_ATTENTION)",
        }
    else:
        setup += (
            "for each in (q, k, v):\n    each.requires_grad_()\n"
            "outs = {}\n"
            "def backward(backend):\n"
            "    if backend not in outs:\n        outs[backend] = sdpa(backend)\n"
            "    return torch.autograd.grad(outs[backend], (q, k, v), dout, retain_graph=True)\n"
        )
        parts = (
            Part(
                1,
                {"BLOCK_M": (32, 64), "BLOCK_N": (64, 128), "num_warps": WARPS,
                 "num_stages": (2, 3)},
                ("BLOCK_N <= 16 * num_warps",), likely.COLUMNS,
            ),
            Part(
                2,
                {"BLOCK_M": (64, 128), "BLOCK_N": (32, 64, 128), "num_warps": WARPS,
                 "num_stages": (2, 3)},
                ("num_warps * 16 == BLOCK_M",), likely.ROWS,
            ),
        )  # fmt: skip
        rivals = {
            "flash (torch)": "backward(SDPBackend.FLASH_ATTENTION)",
            "cuDNN": "backward(SDPBackend.CUDNN_ATTENTION)",
        }
        flops *= 2.5
        also = "(dout.float() * dout.float()).sum(dim=-1)"  # as the host code does with the output
    kind = "causal" if causal else "all keys"
    return Row(
        f"attention {direction}, {kind}, head {head}", "flash_attention.py", f"example({sizes})",
        f"example(1, 1, 256, {head}, {causal})", parts, setup=setup, rivals=rivals, also=also,
        flops=flops,
    )  # fmt: skip


ROWS: tuple[Row, ...] = (
    Row(
        "vector add 2^27", "vector_add.py", "example(2**27)", "example(2**12)",
        (Part(0, {"BLOCK_SIZE": (512, 1024, 2048, 4096), "num_warps": (2, 4, 8)}),),
        copy_bytes=12 << 27,
    ),
    *(_softmax(columns) for columns in (512, 1024, 2048, 4096, 8192, 16384, 32768)),
    *(
        _matmul(f"matmul {size}^3 bf16", "matmul.py", size, MATMUL, NO_SPILLS)
        for size in (2048, 4096, 8192)
    ),
    Row(
        "grid stride polynomial 2^27", "grid_stride.py", "example(2**27)", "example(2**12)",
        (Part(0, {"BLOCK_SIZE": (1024, 2048, 4096), "num_warps": (4, 8)}),),
        copy_bytes=8 << 27,
    ),
    Row(
        "reciprocal, unchecked, 2^27", "debugging.py", "reciprocal(inputs(2**27), check=False)",
        "reciprocal(inputs(2**12), check=False)",
        (Part(0, {"BLOCK_SIZE": (512, 1024, 2048), "num_warps": (4, 8)}),),
        copy_bytes=8 << 27,
    ),
    Row(
        "reduction 2^28", "reduction.py", "example(2**28)", "example(2**16)",
        (Part(0, {"BLOCK_SIZE": (1024, 2048, 4096), "BLOCKS_A_PROGRAM": (4, 8, 16),
                  "num_warps": (4, 8)}),),
        copy_bytes=4 << 28,
    ),
    Row(
        "scan 8192 x 8192, two results", "scan.py", "example(8192, 8192)", "example(4, 8192)",
        (Part(0, {"BLOCK_SIZE": (512, 1024, 2048, 4096), "num_warps": (1, 2, 4, 8)}),),
        copy_bytes=12 << 26,
    ),
    Row(
        "RMS norm 16384 x 8192 bf16", "rms_norm.py", "example(16384, 8192, torch.bfloat16)",
        "example(4, 8192)",
        (Part(0, {"BLOCK_SIZE": (1024, 2048, 4096, 8192), "num_warps": (4, 8, 16)}),),
        copy_bytes=4 << 27,
    ),
    Row(
        "layer norm 8192 x 4096, forward", "layer_norm.py", "example(8192, 4096)",
        "example(4, 4096)", (Part(0, {"num_warps": (4, 8, 16)}, (), likely.WARPS),),
        copy_bytes=8 << 25,
    ),
    Row(
        "layer norm 8192 x 4096, backward", "layer_norm.py", "example(8192, 4096)",
        "example(4, 4096)",
        (
            Part(1, {"STAGES": (1,), "num_warps": (4, 8, 16)}, (), likely.GRADIENTS),
            Part(2, {"BLOCK_ROWS": (32, 64, 128), "BLOCK_COLUMNS": (16, 32, 64),
                     "num_warps": (4, 8)}, (), likely.PARTIAL_SUMS),
        ),
        copy_bytes=12 << 25,
        setup=(
            "x, weight, bias, dy = inputs(8192, 4096, torch.float32)\n"
            "leaves = [each.requires_grad_() for each in (x, weight, bias)]\n"
            "y = torch.nn.functional.layer_norm(x, (4096,), weight, bias)\n"
        ),
        rivals={"F.layer_norm": "torch.autograd.grad(y, leaves, dy, retain_graph=True)"},
    ),
    Row(
        "dropout 2^27", "dropout.py", "example(2**27)", "example(2**12)",
        (Part(0, {"BLOCK_SIZE": (512, 1024, 2048, 4096), "num_warps": (4, 8)}),),
        copy_bytes=8 << 27,
    ),
    Row(
        "strided copy 16384 x 8000 of 8192", "strided_copy.py", "example(16384, 8000, 8192)",
        "example(4, 8000, 8192)",
        (Part(0, {"BLOCK_SIZE": (1024, 2048, 4096, 8192), "num_warps": (4, 8)}),),
        copy_bytes=8 * 16384 * 8000,
    ),
    Row(
        "transpose by pointers 16384^2", "transpose.py", "by_pointers(inputs(16384, 16384))",
        "by_pointers(inputs(256, 256))",
        (Part(0, {"BLOCK_M": (32, 64, 128), "BLOCK_N": (32, 64, 128), "num_warps": WARPS}),),
        copy_bytes=8 << 28,
    ),
    Row(
        "transpose by descriptors 16384^2", "transpose.py", "by_descriptors(inputs(16384, 16384))",
        "by_descriptors(inputs(256, 256))",
        (Part(0, {"BLOCK_M": (32, 64, 128), "BLOCK_N": (32, 64, 128), "num_warps": WARPS}),),
        copy_bytes=8 << 28,
    ),
    Row(
        "gather 2^18 rows of 1024", "gather_scatter.py", "example(100_000, 1024, 2**18)",
        "example(50, 1024, 64)",
        (Part(0, {"BLOCK_SIZE": (256, 512, 1024), "num_warps": (1, 2, 4, 8)}),),
        setup="table, index = inputs(100_000, 1024, 2**18)",
        rivals={"index_select": "torch.index_select(table, 0, index)"},
    ),
    Row(
        "scatter add 2^18 rows of 1024", "gather_scatter.py", "example(100_000, 1024, 2**18)",
        "example(50, 1024, 64)",
        (Part(1, {"BLOCK_SIZE": (256, 512, 1024), "num_warps": (1, 2, 4, 8)}),),
        setup=(
            "table, index = inputs(100_000, 1024, 2**18)\nrows = table[index]\n"
            "sums = torch.zeros_like(table)"
        ),
        rivals={"index_add_": "sums.index_add_(0, index, rows)"},
    ),
    Row(
        "stencil 2D 16384^2", "stencil_2d.py", "example(16384, 16384)", "example(64, 256)",
        (Part(0, {"BLOCK_Y": (4, 8, 16, 32), "BLOCK_X": (64, 128, 256), "num_warps": WARPS},
              ("BLOCK_Y * BLOCK_X <= 1024 * num_warps",)),),
        copy_bytes=8 << 28,
    ),
    Row(
        "stencil 3D 512^3", "stencil_3d.py", "example(512, 512, 512)", "example(8, 16, 256)",
        (Part(0, {"BLOCK_Y": (4, 8), "BLOCK_X": (64, 128, 256), "PLANES": (8, 16, 32),
                  "num_warps": WARPS}, ("BLOCK_Y * BLOCK_X <= 512 * num_warps",),
              likely.STENCIL_3D),),
        copy_bytes=8 << 27,
    ),
    Row(
        "row dots 16384 x 8192 fp16", "dot_pipeline.py", "example(16384, 8192)",
        "example(8, 8192)",
        (Part(0, {"BLOCK_ROWS": (1, 2, 4), "BLOCK_SIZE": (512, 1024, 2048),
                  "STAGES": (1, 2, 3, 4), "num_warps": (4,)}),),
        copy_bytes=4 << 27,
    ),
    *(
        _matmul(f"persistent matmul {size}^3 bf16", "matmul_persistent.py", size,
                {**MATMUL, "GROUP_M": (8,), "FLATTEN": (False,)}, NO_SPILLS)
        for size in (4096, 8192)
    ),
    *(
        _matmul(f"matmul by descriptors {size}^3 bf16", "matmul_descriptors.py", size,
                {**MATMUL, "GROUP_M": (8,)}, NO_SPILLS)
        for size in (4096, 8192)
    ),
    Row(
        "split-K 256 x 256 x 32768 fp16", "split_k.py", "example(256, 256, 32768)",
        "example(256, 256, 4096)",
        (Part(0, {"BLOCK_M": (64, 128), "BLOCK_N": (64, 128), "BLOCK_K": (64,),
                  "SPLIT_K": (8, 16, 32, 64), "num_warps": (4,), "num_stages": (4,)}, (),
              likely.SPLIT_K),),
        setup="a, b = inputs(256, 256, 32768, torch.float16)",
        rivals={"cuBLAS": "torch.mm(a, b)"}, flops=2.0 * 256 * 256 * 32768,
    ),
    Row(
        "grouped products 4096 fp16", "grouped_gemm.py", "example(4096, 4096, 4096)",
        "example(256, 256, 256)",
        (Part(0, {"BLOCK_M": (128,), "BLOCK_N": (128, 256), "BLOCK_K": (64,), "num_warps": WARPS,
                  "num_stages": (3, 4)}, NO_SPILLS, likely.GROUPED),),
        setup="pairs = inputs(4096, 4096, 4096)",
        rivals={"cuBLAS, one by one": "[torch.mm(a, b) for a, b in pairs]"},
        flops=2.0 * (4096**3 + 2048 * 4136 * 4096 + 4126 * 2048 * 2048),
    ),
    Row(
        "matmul 8192^3 fp8", "matmul_fp8.py", "example(8192, 8192, 8192, torch.bfloat16)",
        "example(256, 256, 256)",
        (Part(0, {"BLOCK_M": (128,), "BLOCK_N": (128, 256), "BLOCK_K": (64, 128), "GROUP_M": (8,),
                  "num_warps": WARPS, "num_stages": (3, 4)}, NO_SPILLS, likely.EIGHT_BITS),),
        setup=(
            "a, b, a_scale, b_scale = inputs(8192, 8192, 8192)\n"
            "a_scale, b_scale = a_scale[:, None], b_scale[None, :]"
        ),
        rivals={
            "cuBLAS": "torch._scaled_mm(a, b, scale_a=a_scale, scale_b=b_scale, "
            "out_dtype=torch.bfloat16, use_fast_accum=True)"
        },
        flops=2.0 * 8192**3,
    ),
    Row(
        "matmul 8192^3 int8", "matmul_int8.py", "example(8192, 8192, 8192)",
        "example(256, 256, 256)",
        (Part(0, {"BLOCK_M": (128,), "BLOCK_N": (128, 256), "BLOCK_K": (64, 128), "GROUP_M": (8,),
                  "num_warps": WARPS, "num_stages": (3, 4)}, NO_SPILLS, likely.EIGHT_BITS),),
        setup="a, b = inputs(8192, 8192, 8192)",
        rivals={"cuBLAS": "torch._int_mm(a, b)"}, flops=2.0 * 8192**3,
    ),
    *(
        _attention(direction, causal, head)
        for direction in ("forward", "backward")
        for causal, head in ((False, 128), (True, 128), (True, 64))
    ),
    Row(
        "GELU in place 16384 x 8192", "autotuned.py", "example(16384, 8192)", "example(4, 1000)",
        (Part(0, {"BLOCK_SIZE": (512, 1024, 2048), "num_warps": (2, 4, 8)}, (), likely.GELU),),
        copy_bytes=8 << 27,
    ),
    Row(
        "log-sum-exp 16384 x 8192", "heuristics.py", "example(16384, 8192)", "example(4, 8192)",
        (Part(0, {"num_warps": (4, 8, 16)}, (), likely.WARPS),), copy_bytes=4 << 27,
    ),
)  # fmt: skip
