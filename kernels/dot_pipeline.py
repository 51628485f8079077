"""Dot products of rows, as a loop that the compiler can pipeline.

With num_stages above 1 the loads of the next rounds are under way while this round's numbers are
multiplied: asynchronous copies into shared memory, num_stages - 1 of them ahead. Move num_stages
and see shared memory grow, the async copies appear in the SASS, and the time fall until the memory
is busy all the time. A loop needs several rounds for it: BLOCK_SIZE well below the row's length.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def row_dots_kernel(
    a_ptr, b_ptr, out_ptr, stride, n_rows, n_cols,
    BLOCK_ROWS: tl.constexpr, BLOCK_SIZE: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    total = tl.zeros((BLOCK_ROWS, BLOCK_SIZE), dtype=tl.float32)
    for first in tl.range(0, n_cols, BLOCK_SIZE, num_stages=STAGES):
        columns = first + tl.arange(0, BLOCK_SIZE)
        inside = (rows[:, None] < n_rows) & (columns[None, :] < n_cols)
        offsets = rows[:, None] * stride + columns[None, :]
        a = tl.load(a_ptr + offsets, mask=inside, other=0.0)
        b = tl.load(b_ptr + offsets, mask=inside, other=0.0)
        total += a.to(tl.float32) * b.to(tl.float32)
    tl.store(out_ptr + rows, tl.sum(total, axis=1), mask=rows < n_rows)


def row_dots(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the dot product of each row of a with the same row of b; both contiguous."""
    if a.shape != b.shape:
        raise ValueError(f"a is {tuple(a.shape)} and b is {tuple(b.shape)}: they must be alike")
    n_rows, n_cols = a.shape
    out = torch.empty(n_rows, device=a.device, dtype=torch.float32)

    def grid(meta):
        return (triton.cdiv(n_rows, meta["BLOCK_ROWS"]),)

    row_dots_kernel[grid](
        a, b, out, a.stride(0), n_rows, n_cols, BLOCK_ROWS=4, BLOCK_SIZE=256, STAGES=3, num_warps=4
    )
    return out


def inputs(n_rows: int, n_cols: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two random matrices, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    a = torch.randn(n_rows, n_cols, device=DEVICE, generator=generator).to(dtype)
    b = torch.randn(n_rows, n_cols, device=DEVICE, generator=generator).to(dtype)
    return a, b


def example(
    n_rows: int = 100, n_cols: int = 2000, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Multiply `n_rows` pairs of rows of `n_cols` numbers."""
    return row_dots(*inputs(n_rows, n_cols, dtype))


def reference(
    n_rows: int = 100, n_cols: int = 2000, dtype: torch.dtype = torch.float16
) -> torch.Tensor:
    """Return what `example` should compute, by torch in double precision."""
    a, b = inputs(n_rows, n_cols, dtype)
    return (a.double() * b.double()).sum(dim=1).float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-3, atol=1e-3)
    print("row_dots agrees with torch")
