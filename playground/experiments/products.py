"""Matrix products: stages, persistent programs, and how near Triton comes to the libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton

from playground.experiments.bundled import fresh
from playground.model.experiment import Cell, Figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.experiments.bench import Bench

Tile = tuple[int, int, int, int, int]
"""BLOCK_M, BLOCK_N, BLOCK_K, warps, stages."""

_TILES: tuple[Tile, ...] = (
    (64, 64, 64, 4, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 4), (128, 256, 64, 8, 3),
    (128, 256, 64, 8, 4),
)  # fmt: skip


def num_stages(bench: Bench) -> Figures:
    """Time matmul with two tiles, and row dots, over the number of stages."""
    matmul = fresh("matmul").matmul_kernel
    size = bench.size(4096, 64)
    a, b, c = _matrices(bench, size, torch.bfloat16)
    rows: list[tuple[Cell, ...]] = []
    tiles = bench.size(((128, 128, 64, 8), (128, 256, 64, 8)), ((32, 32, 32, 4),))
    for block_m, block_n, block_k, warps in tiles:
        calls = {
            str(stages): _plain(matmul, a, b, c, (block_m, block_n, block_k, warps, stages))
            for stages in range(1, 8)
        }
        rows += _rows(f"matmul, tile {block_m} x {block_n}", bench.times_ms(calls))
    dots = fresh("dot_pipeline").row_dots_kernel
    n_rows, n_cols = bench.size((16384, 8192), (4, 1024))
    x, y = (torch.randn(n_rows, n_cols, device=bench.device).half() for _ in range(2))
    out = torch.empty(n_rows, device=bench.device)

    def dot(stages: int) -> Callable[[], object]:
        return lambda: dots[(triton.cdiv(n_rows, 4),)](
            x, y, out, n_cols, n_rows, n_cols, BLOCK_ROWS=4, BLOCK_SIZE=512, STAGES=stages,
            num_warps=4,
        )  # fmt: skip

    rows += _rows("row dots", bench.times_ms({str(stages): dot(stages) for stages in range(1, 8)}))
    return Figures(("case", "num_stages", "time (us)", "over the fastest"), tuple(rows))


def persistent(bench: Bench) -> Figures:
    """Time the persistent matmul against the plain one, and a grouped launch against many."""
    plain, kept = fresh("matmul").matmul_kernel, fresh("matmul_persistent").persistent_kernel
    rows: list[tuple[Cell, ...]] = []
    for size in bench.size((256, 512, 1024, 2048, 4096), (64,)):
        a, b, c = _matrices(bench, size, torch.float16)
        tiles = bench.size(_TILES, ((32, 32, 32, 4, 2),))
        usual = bench.times_ms({str(tile): _plain(plain, a, b, c, tile) for tile in tiles})
        walking = bench.times_ms(
            {
                f"{tile} {flat}": _walking(bench, kept, a, b, c, tile, flat)
                for tile in tiles
                for flat in (False, True)
            }
        )
        found = _against(f"one product of {size}^3", _least(usual), _least(walking))
        rows += [found] if found is not None else []
    rows.append(_many_products(bench))
    columns = ("case", "plain (us)", "persistent (us)", "times faster")
    return Figures(columns, tuple(rows))


def _many_products(bench: Bench) -> tuple[Cell, ...]:
    """Return the case in which each small product costs a launch, or all of them one."""
    module, matmul = fresh("grouped_gemm"), fresh("matmul").matmul_kernel
    count, size = bench.size((16, 256), (3, 32))
    pairs = [_matrices(bench, size, torch.float16) for _ in range(count)]
    block = bench.size(64, 32)

    def addresses(place: int) -> torch.Tensor:
        found = [group[place].data_ptr() for group in pairs]
        return torch.tensor(found, dtype=torch.int64, device=bench.device)

    where = [addresses(place) for place in range(3)]
    sizes = torch.tensor([[size] * 3] * count, dtype=torch.int32, device=bench.device)
    each = [_plain(matmul, a, b, c, (block, block, block, 4, 3)) for a, b, c in pairs]

    def one_by_one() -> None:
        for call in each:
            call()

    def together() -> object:
        return module.grouped_gemm_kernel[(bench.multiprocessors,)](
            *where, sizes, count, BLOCK_M=block, BLOCK_N=block, BLOCK_K=block, ALIGNED=True,
            num_warps=4, num_stages=3,
        )  # fmt: skip

    spans = bench.spans_ms({"plain": one_by_one, "persistent": together})
    name = f"{count} products of {size}^3, launches from Python included"
    plain, kept = spans["plain"], spans["persistent"]
    return (name, plain * 1e3, kept * 1e3, plain / kept)


def libraries(bench: Bench) -> Figures:
    """Time bundled kernels against what torch calls for the same, each at its best config."""
    rows: list[tuple[Cell, ...]] = []
    for name, ours, theirs in (
        _matmul_case(bench), _softmax_case(bench), _norm_case(bench),
        _attention_case(bench, causal=True), _attention_case(bench, causal=False),
        _add_case(bench),
    ):  # fmt: skip
        times = bench.times_ms({**ours, "library": theirs})
        library = times.pop("library")
        best = _least(times)
        if library is not None and best is not None:
            rows.append((name, best * 1e3, library * 1e3, library / best))
    columns = ("case", "Triton (us)", "library (us)", "share of the library")
    return Figures(columns, tuple(rows))


Case = tuple[str, "dict[str, Callable[[], object]]", "Callable[[], object]"]


def _matmul_case(bench: Bench) -> Case:
    kernel, size = fresh("matmul").matmul_kernel, bench.size(4096, 64)
    a, b, c = _matrices(bench, size, torch.bfloat16)
    tiles = bench.size(_TILES, ((32, 32, 32, 4, 2),))
    out = torch.empty_like(c)
    ours = {str(tile): _plain(kernel, a, b, c, tile) for tile in tiles}
    return "matmul 4096^3 bf16, cuBLAS", ours, lambda: torch.mm(a, b, out=out)


def _softmax_case(bench: Bench) -> Case:
    kernel, n_cols = fresh("softmax").softmax_kernel, bench.size(4096, 256)
    x = torch.randn(bench.size(4096, 4), n_cols, device=bench.device)
    out = torch.empty_like(x)

    def call(warps: int) -> Callable[[], object]:
        return lambda: kernel[(x.shape[0],)](
            x, out, n_cols, n_cols, n_cols, BLOCK_SIZE=n_cols, num_warps=warps
        )

    ours = {str(warps): call(warps) for warps in (4, 8, 16)}
    return "softmax 4096 x 4096, torch", ours, lambda: torch.softmax(x, 1)


def _norm_case(bench: Bench) -> Case:
    kernel, n_cols = fresh("layer_norm").layer_norm_forward, bench.size(4096, 256)
    x = torch.randn(bench.size(8192, 4), n_cols, device=bench.device)
    weight, bias = (torch.randn(n_cols, device=bench.device) for _ in range(2))
    y, mean = torch.empty_like(x), torch.empty(x.shape[0], device=bench.device)
    inverse = torch.empty_like(mean)

    def call(warps: int) -> Callable[[], object]:
        return lambda: kernel[(x.shape[0],)](
            x, weight, bias, y, mean, inverse, n_cols, n_cols, 1e-5, BLOCK_SIZE=n_cols,
            num_warps=warps,
        )  # fmt: skip

    ours = {str(warps): call(warps) for warps in (4, 8, 16)}
    norm = torch.nn.functional.layer_norm
    return "layer norm 8192 x 4096, torch", ours, lambda: norm(x, (n_cols,), weight, bias)


def _attention_case(bench: Bench, *, causal: bool) -> Case:
    module = fresh("flash_attention")
    shape = bench.size((2, 16, 4096, 128), (1, 1, 64, 16))
    q, k, v = (torch.randn(shape, device=bench.device).half() for _ in range(3))
    out = torch.empty_like(q)
    batch, heads, length, head = shape
    log = torch.empty(batch * heads, length, device=bench.device)
    scale = head**-0.5 * module.LOG2_E

    def call(block_m: int, block_n: int, warps: int, stages: int) -> Callable[[], object]:
        grid = (triton.cdiv(length, block_m), batch * heads)
        return lambda: module.attention_forward[grid](
            q, k, v, out, log, length * head, head, length, scale, HEAD=head, BLOCK_M=block_m,
            BLOCK_N=block_n, CAUSAL=causal, num_warps=warps, num_stages=stages,
        )  # fmt: skip

    configs = bench.size(
        ((64, 64, 4, 2), (64, 64, 4, 3), (128, 64, 8, 2), (128, 64, 8, 3), (128, 128, 8, 2)),
        ((16, 16, 4, 2),),
    )
    ours = {str(config): call(*config) for config in configs}
    attention = torch.nn.functional.scaled_dot_product_attention
    name = f"attention 4096, head 128{', causal' if causal else ''}, torch"
    return name, ours, lambda: attention(q, k, v, is_causal=causal)


def _add_case(bench: Bench) -> Case:
    kernel, size = fresh("vector_add").add_kernel, bench.size(1 << 27, 1 << 10)
    x, y = (torch.randn(size, device=bench.device) for _ in range(2))
    out = torch.empty_like(x)

    def call(block: int) -> Callable[[], object]:
        return lambda: kernel[(triton.cdiv(size, block),)](x, y, out, size, BLOCK_SIZE=block)

    ours = {str(block): call(block) for block in (512, 1024, 2048)}
    return "vector add 2^27, torch", ours, lambda: torch.add(x, y, out=out)


# ---------------------------------------------------------------------------- launches


def _matrices(bench: Bench, size: int, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    a, b = (torch.randn(size, size, device=bench.device).to(dtype) for _ in range(2))
    return a, b, torch.empty_like(a)


def _plain(
    kernel: Any, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, tile: Tile
) -> Callable[[], object]:
    size = a.shape[0]
    block_m, block_n, block_k, warps, stages = tile
    grid = (triton.cdiv(size, block_m) * triton.cdiv(size, block_n),)
    return lambda: kernel[grid](
        a, b, c, size, size, size, size, 1, size, 1, size, 1, BLOCK_M=block_m, BLOCK_N=block_n,
        BLOCK_K=block_k, GROUP_M=8, num_warps=warps, num_stages=stages,
    )  # fmt: skip


def _walking(
    bench: Bench, kernel: Any, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, tile: Tile,
    flatten: bool,
) -> Callable[[], object]:  # fmt: skip
    size = a.shape[0]
    block_m, block_n, block_k, warps, stages = tile
    tiles = triton.cdiv(size, block_m) * triton.cdiv(size, block_n)
    grid = (min(tiles, bench.multiprocessors),)
    return lambda: kernel[grid](
        a, b, c, size, size, size, size, 1, size, 1, size, 1, BLOCK_M=block_m, BLOCK_N=block_n,
        BLOCK_K=block_k, GROUP_M=8, FLATTEN=flatten, num_warps=warps, num_stages=stages,
    )  # fmt: skip


def _least(times: dict[str, float | None]) -> float | None:
    return min((time for time in times.values() if time is not None), default=None)


def _against(case: str, plain: float | None, other: float | None) -> tuple[Cell, ...] | None:
    if plain is None or other is None:
        return None
    return (case, plain * 1e3, other * 1e3, plain / other)


def _rows(case: str, times_ms: dict[str, float | None]) -> list[tuple[Cell, ...]]:
    best = _least(times_ms)
    return [
        (case, float(value), time * 1e3, time / best)
        for value, time in times_ms.items()
        if time is not None and best is not None
    ]
