"""Hints for the compiler, and moving tiles by the tensor memory accelerator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from playground.experiments.bundled import fresh
from playground.model.experiment import Cell, Figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.experiments.bench import Bench

_TILES = ((64, 64, 4), (64, 128, 8), (128, 64, 8), (128, 128, 8))
"""Rows, columns and warps."""


def hints(bench: Bench) -> Figures:
    """Time the strided copy without and with hints, against a device copy's rate."""
    kernel = fresh("strided_copy").strided_copy_kernel
    cases = bench.size(
        (
            ("long rows, fp32", 16384, 8192, torch.float32),
            ("short rows, fp32", 262144, 512, torch.float32),
            ("long rows, fp16", 16384, 8192, torch.float16),
            ("short rows, fp16", 262144, 512, torch.float16),
        ),
        (("long rows, fp32", 4, 2048, torch.float32),),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, n_rows, n_cols, dtype in cases:
        x = torch.randn(n_rows, n_cols + 64, device=bench.device, dtype=dtype)[:, :n_cols]
        out = torch.empty(n_rows, n_cols + 64, device=bench.device, dtype=dtype)[:, :n_cols]
        times = bench.times_ms(
            {"without": _copy(kernel, x, out, False), "with": _copy(kernel, x, out, True)}
        )
        bytes_moved = 2.0 * n_rows * n_cols * x.element_size()
        shares = [
            None if time is None else 100 * bytes_moved / time / 1e6 / bench.copy_gbps
            for time in (times["without"], times["with"])
        ]
        rows.append((name, *shares))
    return Figures(("case", "without (% of copy)", "with hints (% of copy)"), tuple(rows))


def _copy(kernel: Any, x: torch.Tensor, out: torch.Tensor, having: bool) -> Callable[[], object]:
    n_rows, n_cols = x.shape
    block = min(1024, n_cols)
    grid = (n_rows, triton.cdiv(n_cols, block))
    return lambda: kernel[grid](
        x, out, x.stride(0), out.stride(0), n_cols, BLOCK_SIZE=block, HINTS=having, num_warps=4
    )


def tma(bench: Bench) -> Figures:
    """Time both transposes, each at the best of the same tiles."""
    module = fresh("transpose")
    cases = bench.size(
        (
            ("2048 x 2048, fp32", 2048, 2048, torch.float32),
            ("8192 x 8192, fp32", 8192, 8192, torch.float32),
            ("16384 x 16384, fp32", 16384, 16384, torch.float32),
            ("8192 x 8192, fp16", 8192, 8192, torch.float16),
            ("262144 x 256, fp16", 262144, 256, torch.float16),
        ),
        (("64 x 128, fp32", 64, 128, torch.float32),),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, m, n, dtype in cases:
        x = torch.randn(m, n, device=bench.device, dtype=dtype)
        out = torch.empty(n, m, device=bench.device, dtype=dtype)
        by_pointers = bench.times_ms(
            {str(tile): _pointers(module, x, out, *tile) for tile in _TILES}
        )
        by_descriptors = bench.times_ms(
            {str(tile): _descriptors(module, x, out, *tile) for tile in _TILES}
        )
        best = [
            min((time for time in times.values() if time is not None), default=None)
            for times in (by_pointers, by_descriptors)
        ]
        pointers, descriptors = best
        if pointers is not None and descriptors is not None:
            rows.append((name, pointers * 1e3, descriptors * 1e3, pointers / descriptors))
    columns = ("case", "pointers (us)", "descriptors (us)", "times faster")
    return Figures(columns, tuple(rows))


def _pointers(
    module: Any, x: torch.Tensor, out: torch.Tensor, block_m: int, block_n: int, warps: int
) -> Callable[[], object]:
    m, n = x.shape
    grid = (triton.cdiv(m, block_m), triton.cdiv(n, block_n))
    return lambda: module.transpose_by_pointers[grid](
        x, out, x.stride(0), out.stride(0), m, n, BLOCK_M=block_m, BLOCK_N=block_n, num_warps=warps
    )


def _descriptors(
    module: Any, x: torch.Tensor, out: torch.Tensor, block_m: int, block_n: int, warps: int
) -> Callable[[], object]:
    m, n = x.shape
    grid = (triton.cdiv(m, block_m), triton.cdiv(n, block_n))
    x_desc = TensorDescriptor.from_tensor(x, [block_m, block_n])
    out_desc = TensorDescriptor.from_tensor(out, [block_n, block_m])
    return lambda: module.transpose_by_descriptors[grid](
        x_desc, out_desc, BLOCK_M=block_m, BLOCK_N=block_n, num_warps=warps
    )
