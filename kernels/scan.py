"""Running sums along rows, carried from block to block.

`tl.cumsum` scans one block; a row longer than that is walked block by block, and what the blocks
before add up to is carried along. The walk cannot be split over programs: rows run side by side,
blocks of a row one after the other. `tl.associative_scan` does the same for any operation that may
be regrouped: here the running maximum.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def larger(a, b):
    """Return the larger of two numbers: an operation that may be regrouped."""
    return tl.maximum(a, b)


@triton.jit
def scan_kernel(x_ptr, sums_ptr, maxima_ptr, stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    before = 0.0
    highest = -float("inf")
    for first in range(0, n_cols, BLOCK_SIZE):
        columns = first + tl.arange(0, BLOCK_SIZE)
        mask = columns < n_cols
        x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0.0)
        tl.store(sums_ptr + row * stride + columns, before + tl.cumsum(x, axis=0), mask=mask)
        before += tl.sum(x, axis=0)
        x = tl.where(mask, x, -float("inf"))
        maxima = tl.maximum(tl.associative_scan(x, 0, larger), highest)
        tl.store(maxima_ptr + row * stride + columns, maxima, mask=mask)
        highest = tl.maximum(highest, tl.max(x, axis=0))


def scan(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the running sums and the running maxima along the rows of a contiguous matrix."""
    n_rows, n_cols = x.shape
    sums, maxima = torch.empty_like(x), torch.empty_like(x)
    scan_kernel[(n_rows,)](x, sums, maxima, x.stride(0), n_cols, BLOCK_SIZE=512, num_warps=4)
    return sums, maxima


def inputs(n_rows: int, n_cols: int) -> torch.Tensor:
    """Return a random matrix, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(n_rows, n_cols, device=DEVICE, generator=generator)


def example(n_rows: int = 32, n_cols: int = 1300) -> tuple[torch.Tensor, torch.Tensor]:
    """Scan `n_rows` random rows of `n_cols` columns."""
    return scan(inputs(n_rows, n_cols))


def reference(n_rows: int = 32, n_cols: int = 1300) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what `example` should compute, by torch in double precision."""
    x = inputs(n_rows, n_cols).double()
    return x.cumsum(dim=1).float(), x.cummax(dim=1).values.float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-4, atol=1e-4)
    print("running sums and maxima agree with torch")
