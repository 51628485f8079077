"""Matrix product of 8-bit floats with a scale a row and a scale a column.

Eight bits hold a number's sign, 4 bits of exponent and 3 of mantissa (e4m3): the range is small, so
every row of A and every column of B is divided by a scale of its own first, and the product is
multiplied by both at the end. Twice the rate of 16 bits on the tensor cores of Ada and Hopper, half
the bytes everywhere. What it costs is precision: the reference multiplies the same rounded numbers.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LARGEST = 448.0  # of float8_e4m3fn


@triton.jit
def tile_of_program(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Return (row, column) of the tile that program `pid` computes, in grouped order."""
    tiles_in_group = GROUP_M * tl.cdiv(N, BLOCK_N)
    first_m = pid // tiles_in_group * GROUP_M
    group_size = min(tl.cdiv(M, BLOCK_M) - first_m, GROUP_M)  # the last group may be shorter
    return first_m + (pid % tiles_in_group) % group_size, (pid % tiles_in_group) // group_size


@triton.jit
def fp8_matmul_kernel(
    a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    tile_m, tile_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + columns[None, :] * stride_bn
    for first in range(0, K, BLOCK_K):
        left = K - first  # the last step may hold fewer than BLOCK_K columns
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (k[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < left) & (columns[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    a_scale = tl.load(a_scale_ptr + rows, mask=rows < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + columns, mask=columns < N, other=0.0)
    total = total * a_scale[:, None] * b_scale[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    place = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(place, total.to(c_ptr.dtype.element_ty), mask=inside)


def quantized(x: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return x in 8 bits and the scale of each line along `dim`."""
    scale = x.abs().amax(dim=dim, keepdim=True).clamp(min=1e-12) / LARGEST
    return (x / scale).to(torch.float8_e4m3fn), scale.flatten().float()


def fp8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor,
    dtype: torch.dtype = torch.float32,
) -> torch.Tensor:  # fmt: skip
    """Return (a * a_scale by rows) @ (b * b_scale by columns) in `dtype`; a and b are e4m3."""
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: the inner sizes differ")
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=dtype)

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    fp8_matmul_kernel[grid](
        a, b, c, a_scale, b_scale, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1),
        c.stride(0), c.stride(1), BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, GROUP_M=8, num_warps=4,
        num_stages=3,
    )  # fmt: skip
    return c


def inputs(m: int, n: int, k: int) -> tuple[torch.Tensor, ...]:
    """Return quantized random matrices and their scales, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    a, a_scale = quantized(torch.randn(m, k, device=DEVICE, generator=generator), 1)
    b, b_scale = quantized(torch.randn(k, n, device=DEVICE, generator=generator), 0)
    # The tensor cores want both with K along memory.
    return a, b.t().contiguous().t(), a_scale, b_scale


def example(
    m: int = 130, n: int = 140, k: int = 200, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """Multiply two matrices of 8-bit floats."""
    return fp8_matmul(*inputs(m, n, k), dtype)


def reference(
    m: int = 130, n: int = 140, k: int = 200, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """Return what `example` should compute: the same 8-bit numbers, in double precision."""
    a, b, a_scale, b_scale = inputs(m, n, k)
    product = a.double() @ b.double()
    return (product * a_scale[:, None].double() * b_scale[None, :].double()).to(dtype)


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-2, atol=1e-2)
    print("matmul_fp8 agrees with torch")
