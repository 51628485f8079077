"""How large blocks and grids should be, on kernels that only stream through memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import triton

from playground.experiments.bundled import fresh
from playground.model.experiment import Cell, Figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.experiments.bench import Bench

_BLOCKS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
_PROGRAMS = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)
_BLOCK = 1024


def block_size(bench: Bench) -> Figures:
    """Time vector add over block sizes, at four lengths."""
    kernel = fresh("vector_add").add_kernel
    exponents = bench.size((16, 20, 24, 27), (8, 10))
    most = 1 << exponents[-1]
    x, y = (torch.randn(most, device=bench.device) for _ in range(2))
    out = torch.empty_like(x)

    def call(size: int, block: int) -> Callable[[], object]:
        grid = (triton.cdiv(size, block),)
        return lambda: kernel[grid](x, y, out, size, BLOCK_SIZE=block, num_warps=4)

    rows: list[tuple[Cell, ...]] = []
    for exponent in exponents:
        calls = {str(block): call(1 << exponent, block) for block in _BLOCKS}
        rows += _rows(f"2^{exponent}", bench.times_ms(calls))
    return Figures(("case", "BLOCK_SIZE", "time (us)", "over the fastest"), tuple(rows))


def grid_size(bench: Bench) -> Figures:
    """Time the grid-stride kernel over programs a multiprocessor, at three lengths."""
    kernel = fresh("grid_stride").polynomial_kernel
    exponents = bench.size((20, 24, 27), (12,))
    most = 1 << exponents[-1]
    x = torch.rand(most, device=bench.device)
    coefficients = torch.rand(10, device=bench.device)
    out = torch.empty_like(x)

    def call(size: int, programs: int) -> Callable[[], object]:
        grid = (min(programs * bench.multiprocessors, triton.cdiv(size, _BLOCK)),)
        return lambda: kernel[grid](
            x, coefficients, out, size, DEGREE=9, BLOCK_SIZE=_BLOCK, num_warps=4
        )

    rows: list[tuple[Cell, ...]] = []
    for exponent in exponents:
        blocks = triton.cdiv(1 << exponent, _BLOCK)
        # More programs than blocks would be the same launch again.
        counts = [n for n in _PROGRAMS if n == 1 or n * bench.multiprocessors <= blocks]
        calls = {str(count): call(1 << exponent, count) for count in counts}
        rows += _rows(f"2^{exponent}", bench.times_ms(calls))
    columns = ("case", "programs a multiprocessor", "time (us)", "over the fastest")
    return Figures(columns, tuple(rows))


def _rows(case: str, times_ms: dict[str, float | None]) -> list[tuple[Cell, ...]]:
    best = min((time for time in times_ms.values() if time is not None), default=None)
    return [
        (case, float(value), time * 1e3, time / best)
        for value, time in times_ms.items()
        if time is not None and best is not None
    ]
