"""Matrix product through tensor descriptors: on Hopper and later, one thread moves a whole tile.

A descriptor knows the matrix's shape, strides and block, so the kernel holds no pointers and no
masks: what lies outside reads as zero and is not written. On cuda:90 and later the loads become
TMA, elsewhere plain accesses. The pointer twin is matmul.py, with the same order of programs:
compare the address arithmetic of the two line by line. Rows must be contiguous, with a stride that
is a multiple of 16 bytes.
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def tile_of_program(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Return (row, column) of the tile that program `pid` computes, in grouped order."""
    tiles_in_group = GROUP_M * tl.cdiv(N, BLOCK_N)
    first_m = pid // tiles_in_group * GROUP_M
    group_size = min(tl.cdiv(M, BLOCK_M) - first_m, GROUP_M)  # the last group may be shorter
    return first_m + (pid % tiles_in_group) % group_size, (pid % tiles_in_group) // group_size


@triton.jit
def descriptor_kernel(
    a_desc, b_desc, c_desc, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    tile_m, tile_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    row = tile_m * BLOCK_M
    column = tile_n * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for inner in range(0, K, BLOCK_K):
        a = a_desc.load([row, inner])
        b = b_desc.load([inner, column])
        total = tl.dot(a, b, total)
    c_desc.store([row, column], total.to(c_desc.dtype))


def matmul(
    a: torch.Tensor, b: torch.Tensor, block_m: int = 64, block_n: int = 64, block_k: int = 64
) -> torch.Tensor:
    """Return a @ b for a (M, K) and b (K, N) of one dtype, both with contiguous rows."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: the inner sizes differ")
    M, K = a.shape
    N = b.shape[1]
    unit = 16 // a.element_size()
    if K % unit or N % unit:
        raise ValueError(f"K={K} and N={N} must be multiples of {unit}: a row is 16-byte units")
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    # A descriptor carries its block's shape: the host has to know the blocks as well.
    a_desc = TensorDescriptor.from_tensor(a, [block_m, block_k])
    b_desc = TensorDescriptor.from_tensor(b, [block_k, block_n])
    c_desc = TensorDescriptor.from_tensor(c, [block_m, block_n])
    grid = (triton.cdiv(M, block_m) * triton.cdiv(N, block_n),)
    descriptor_kernel[grid](
        a_desc, b_desc, c_desc, M, N, K, BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k,
        GROUP_M=8, num_warps=4, num_stages=3,
    )  # fmt: skip
    return c


def inputs(m: int, n: int, k: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two random matrices, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    a = torch.randn(m, k, device=DEVICE, generator=generator).to(dtype)
    b = torch.randn(k, n, device=DEVICE, generator=generator).to(dtype)
    return a, b


def example(
    m: int = 200, n: int = 240, k: int = 160, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Multiply an (m, k) matrix by a (k, n) matrix."""
    return matmul(*inputs(m, n, k, dtype))


def reference(
    m: int = 200, n: int = 240, k: int = 160, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Return what `example` should compute: the product in double precision, rounded to `dtype`."""
    a, b = inputs(m, n, k, dtype)
    return (a.double() @ b.double()).to(dtype)


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-2, atol=1e-2)
    print("matmul_descriptors agrees with torch")
