"""Matrix product in tiles, programs ordered in groups so that neighbours share data in the L2.

Each program computes one BLOCK_M by BLOCK_N tile of C = A @ B and walks along K in BLOCK_K steps.
GROUP_M rows of tiles are finished before the next columns start: the tile map shows the order, and
the loads per element show how often each input is read again. Every edge is masked, so M, N and K
may be any size. float16, bfloat16 and float32 inputs; the sum is always float32.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def tile_of_program(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Return (row, column) of the tile that program `pid` computes, in grouped order."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    tiles_in_group = GROUP_M * tiles_n
    group = pid // tiles_in_group
    first_m = group * GROUP_M
    group_size = min(tiles_m - first_m, GROUP_M)  # the last group may be shorter
    tile_m = first_m + (pid % tiles_in_group) % group_size
    tile_n = (pid % tiles_in_group) // group_size
    return tile_m, tile_n


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    tile_m, tile_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + columns[None, :] * stride_bn

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - step * BLOCK_K  # the last step may hold fewer than BLOCK_K columns
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (k[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < left) & (columns[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk

    c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=inside)


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a @ b for a (M, K) and b (K, N) of one dtype, any strides."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: the inner sizes differ")
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    matmul_kernel[grid](
        a,
        b,
        c,
        M,
        N,
        K,
        a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1),
        c.stride(0),
        c.stride(1),
        BLOCK_M=64,
        BLOCK_N=64,
        BLOCK_K=32,
        GROUP_M=8,
        num_warps=4,
        num_stages=3,
    )
    return c


def inputs(
    m: int, n: int, k: int, dtype: torch.dtype = torch.float16
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two random matrices, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    a = torch.randn(m, k, device=DEVICE, generator=generator).to(dtype)
    b = torch.randn(k, n, device=DEVICE, generator=generator).to(dtype)
    return a, b


def example(
    m: int = 256, n: int = 256, k: int = 256, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Multiply an (m, k) matrix by a (k, n) matrix."""
    return matmul(*inputs(m, n, k, dtype))


def reference(
    m: int = 256, n: int = 256, k: int = 256, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Return what `example` should compute: the product in double precision, rounded to `dtype`."""
    a, b = inputs(m, n, k, dtype)
    return (a.double() @ b.double()).to(dtype)


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-2, atol=1e-2)
    print("matmul agrees with torch")
