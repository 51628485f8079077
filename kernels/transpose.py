"""Transpose a matrix: by pointers, and through tensor descriptors.

Either the loads or the stores of a transpose run across the rows. By pointers, a tile goes through
shared memory so that both sides are coalesced: see the layout conversion in the TTGIR. Through
descriptors the tile is moved by the TMA engine of Hopper and later. Both kernels run here; compare
their times. Rows must be a multiple of 16 bytes for the descriptors.
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def transpose_by_pointers(
    x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * x_stride + columns[None, :], mask=inside, other=0.0)
    place = out_ptr + columns[:, None] * out_stride + rows[None, :]
    tl.store(place, tl.trans(x), mask=(columns[:, None] < N) & (rows[None, :] < M))


@triton.jit
def transpose_by_descriptors(x_desc, out_desc, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * BLOCK_N
    out_desc.store([column, row], tl.trans(x_desc.load([row, column])))


def by_pointers(x: torch.Tensor) -> torch.Tensor:
    """Return the transpose of a matrix with contiguous rows, by pointers."""
    M, N = x.shape
    out = torch.empty((N, M), device=x.device, dtype=x.dtype)

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]), triton.cdiv(N, meta["BLOCK_N"]))

    transpose_by_pointers[grid](
        x, out, x.stride(0), out.stride(0), M, N, BLOCK_M=64, BLOCK_N=64, num_warps=8
    )
    return out


def by_descriptors(x: torch.Tensor, block_m: int = 64, block_n: int = 64) -> torch.Tensor:
    """Return the transpose of a matrix with contiguous rows, through tensor descriptors."""
    M, N = x.shape
    unit = 16 // x.element_size()
    if M % unit or N % unit:
        raise ValueError(f"M={M} and N={N} must be multiples of {unit}: a row is 16-byte units")
    out = torch.empty((N, M), device=x.device, dtype=x.dtype)
    x_desc = TensorDescriptor.from_tensor(x, [block_m, block_n])
    out_desc = TensorDescriptor.from_tensor(out, [block_n, block_m])
    grid = (triton.cdiv(M, block_m), triton.cdiv(N, block_n))
    transpose_by_descriptors[grid](x_desc, out_desc, BLOCK_M=block_m, BLOCK_N=block_n, num_warps=8)
    return out


def inputs(m: int, n: int) -> torch.Tensor:
    """Return a random matrix, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(m, n, device=DEVICE, generator=generator)


def example(m: int = 200, n: int = 300) -> tuple[torch.Tensor, torch.Tensor]:
    """Transpose an (m, n) matrix in both ways."""
    x = inputs(m, n)
    return by_pointers(x), by_descriptors(x)


def reference(m: int = 200, n: int = 300) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what `example` should give: the transpose, twice."""
    x = inputs(m, n)
    return x.t().clone(), x.t().clone()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=0, atol=0)
    print("both transposes are exact")
