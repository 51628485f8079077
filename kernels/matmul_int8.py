"""Matrix product of 8-bit integers: exact, in 32-bit sums.

Whole numbers add up the same in any order, so every config gives the same bits: the place to see
that a wrong result is wrong, not rounded. Twice the rate of 16 bits on tensor cores. 32-bit sums
hold K up to 133,000 (127 * 127 * K below 2^31).
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def tile_of_program(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Return (row, column) of the tile that program `pid` computes, in grouped order."""
    tiles_in_group = GROUP_M * tl.cdiv(N, BLOCK_N)
    first_m = pid // tiles_in_group * GROUP_M
    group_size = min(tl.cdiv(M, BLOCK_M) - first_m, GROUP_M)  # the last group may be shorter
    return first_m + (pid % tiles_in_group) % group_size, (pid % tiles_in_group) // group_size


@triton.jit
def int8_matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    tile_m, tile_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + columns[None, :] * stride_bn
    for first in range(0, K, BLOCK_K):
        left = K - first  # the last step may hold fewer than BLOCK_K columns
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (k[None, :] < left), other=0)
        b = tl.load(b_ptrs, mask=(k[:, None] < left) & (columns[None, :] < N), other=0)
        total = tl.dot(a, b, total, out_dtype=tl.int32)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn, total, mask=inside)


def int8_matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a @ b in int32 for int8 matrices a (M, K) and b (K, N), any strides."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: the inner sizes differ")
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=torch.int32)

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    int8_matmul_kernel[grid](
        a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0),
        c.stride(1), BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, GROUP_M=8, num_warps=4,
        num_stages=3,
    )  # fmt: skip
    return c


def inputs(m: int, n: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two random matrices, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)

    def matrix(rows, columns):
        return torch.randint(
            -128, 128, (rows, columns), device=DEVICE, generator=generator, dtype=torch.int8
        )

    return matrix(m, k), matrix(n, k).t()


def example(m: int = 130, n: int = 140, k: int = 200) -> torch.Tensor:
    """Multiply two matrices of 8-bit integers."""
    return int8_matmul(*inputs(m, n, k))


def reference(m: int = 130, n: int = 140, k: int = 200) -> torch.Tensor:
    """Return what `example` should compute, exactly: double precision holds these sums."""
    a, b = inputs(m, n, k)
    return (a.double() @ b.double()).to(torch.int32)


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=0, atol=0)
    print("matmul_int8 is exact")
