"""Persistent matrix product: as many programs as the GPU holds at once, each doing many tiles.

A program a tile pays the start and the end of every tile; a persistent program goes on to its next
tile at once, and the compiler may load for the next one while this one is being stored. The grid no
longer follows from the problem but from the GPU: see the schedule, where the waves are gone.
FLATTEN joins the loop over tiles and the loop over K, which lets the pipeline run through from tile
to tile: the loads of the next tile are under way while this one's epilogue converts and stores. For
that the epilogue counts its tiles itself: a place worked out before the loop over K would have to
be carried through all stages of the pipeline. Try both: on Hopper triton 3.6 gives up asynchronous
products in the joined loop, which costs more than the overlap gains.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def tile_place(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Return (row, column) of a tile in grouped order."""
    tiles_in_group = GROUP_M * tiles_n
    group = tile // tiles_in_group
    first_m = group * GROUP_M
    group_size = min(tiles_m - first_m, GROUP_M)
    return first_m + (tile % tiles_in_group) % group_size, (tile % tiles_in_group) // group_size


@triton.jit
def persistent_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    FLATTEN: tl.constexpr,
):  # fmt: skip
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    done = tl.program_id(0)  # the tile that is stored next
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=FLATTEN):
        tile_m, tile_n = tile_place(tile, tiles_m, tiles_n, GROUP_M)
        rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(tl.cdiv(K, BLOCK_K)):
            inner = step * BLOCK_K + k
            a = tl.load(
                a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak,
                mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0,
            )  # fmt: skip
            b = tl.load(
                b_ptr + inner[:, None] * stride_bk + columns[None, :] * stride_bn,
                mask=(inner[:, None] < K) & (columns[None, :] < N), other=0.0,
            )  # fmt: skip
            total = tl.dot(a, b, total)
        tile_m, tile_n = tile_place(done, tiles_m, tiles_n, GROUP_M)
        done += tl.num_programs(0)
        rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
        place = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        tl.store(place, total.to(c_ptr.dtype.element_ty), mask=inside)


def multiprocessors() -> int:
    """Return how many multiprocessors the GPU has; a few where there is none."""
    if DEVICE == "cpu":
        return 4
    return torch.cuda.get_device_properties(DEVICE).multi_processor_count


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a @ b for a (M, K) and b (K, N) of one dtype, any strides."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: the inner sizes differ")
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)

    def grid(meta):
        tiles = triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"])
        return (min(multiprocessors(), tiles),)

    persistent_kernel[grid](
        a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0),
        c.stride(1), BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, GROUP_M=8, FLATTEN=False, num_warps=8,
        num_stages=3,
    )  # fmt: skip
    return c


def inputs(m: int, n: int, k: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two random matrices, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    a = torch.randn(m, k, device=DEVICE, generator=generator).to(dtype)
    b = torch.randn(k, n, device=DEVICE, generator=generator).to(dtype)
    return a, b


def example(
    m: int = 400, n: int = 500, k: int = 200, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Multiply an (m, k) matrix by a (k, n) matrix."""
    return matmul(*inputs(m, n, k, dtype))


def reference(
    m: int = 400, n: int = 500, k: int = 200, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Return what `example` should compute: the product in double precision, rounded to `dtype`."""
    a, b = inputs(m, n, k, dtype)
    return (a.double() @ b.double()).to(dtype)


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-2, atol=1e-2)
    print("matmul_persistent agrees with torch")
