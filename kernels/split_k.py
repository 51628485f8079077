"""Matrix product with K split over programs: more parallelism, paid for with atomics.

A small product with a long K has few tiles, and most multiprocessors stay idle. Here SPLIT_K
programs share a tile: each sums a part of K and adds it to the result atomically. The result must
start at zero, and its last digits depend on the order in which the programs arrive.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def split_k_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    part = tl.program_id(1)
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tile // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
    # The parts take turns along K, so that together they read it front to back.
    k = part * BLOCK_K + tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, K, BLOCK_K * SPLIT_K):
        inner = first + k
        a = tl.load(
            a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak,
            mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0,
        )  # fmt: skip
        b = tl.load(
            b_ptr + inner[:, None] * stride_bk + columns[None, :] * stride_bn,
            mask=(inner[:, None] < K) & (columns[None, :] < N), other=0.0,
        )  # fmt: skip
        total = tl.dot(a, b, total)
    place = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.atomic_add(place, total, mask=inside, sem="relaxed")


def split_k_matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a @ b in fp32 for a (M, K) and b (K, N) of one dtype, any strides."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: the inner sizes differ")
    M, K = a.shape
    N = b.shape[1]
    c = torch.zeros((M, N), device=a.device, dtype=torch.float32)

    def grid(meta):
        tiles = triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"])
        return (tiles, meta["SPLIT_K"])

    split_k_kernel[grid](
        a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0),
        c.stride(1), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, SPLIT_K=4, num_warps=4, num_stages=3,
    )  # fmt: skip
    return c


def inputs(m: int, n: int, k: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two random matrices, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    a = torch.randn(m, k, device=DEVICE, generator=generator).to(dtype)
    b = torch.randn(k, n, device=DEVICE, generator=generator).to(dtype)
    return a, b


def example(
    m: int = 100, n: int = 120, k: int = 2000, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Multiply a flat (m, k) matrix by a narrow (k, n) one."""
    return split_k_matmul(*inputs(m, n, k, dtype))


def reference(
    m: int = 100, n: int = 120, k: int = 2000, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Return what `example` should compute, by torch in double precision."""
    a, b = inputs(m, n, k, dtype)
    return (a.double() @ b.double()).float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-3, atol=1e-3)
    print("split_k agrees with torch")
