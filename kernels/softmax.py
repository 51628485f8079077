"""Fused softmax: one program a row, and the row is read once.

PyTorch's plain formula reads and writes the matrix several times; here a whole row sits in the
registers of one program, so the traffic is one read and one write. BLOCK_SIZE is not a free knob:
it must hold a full row, padded to a power of two. Make it smaller and rows are cut short. Long rows
want more warps: a warp that holds thousands of numbers runs out of registers.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def softmax_kernel(
    x_ptr,
    out_ptr,
    x_row_stride,
    out_row_stride,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    # -inf is the neutral element of the maximum, and its exponential adds nothing to the sum.
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=mask, other=-float("inf"))
    x = x.to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    denominator = tl.sum(numerator, axis=0)
    out = numerator / denominator
    tl.store(out_ptr + row * out_row_stride + columns, out, mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of each row of a matrix."""
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block_size = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](
        x,
        out,
        x.stride(0),
        out.stride(0),
        n_cols,
        BLOCK_SIZE=block_size,
        num_warps=min(max(block_size // 1024, 4), 16),
    )
    return out


def inputs(n_rows: int, n_cols: int) -> torch.Tensor:
    """Return a random matrix, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(n_rows, n_cols, device=DEVICE, generator=generator)


def example(n_rows: int = 256, n_cols: int = 781) -> torch.Tensor:
    """Take the softmax of `n_rows` rows of `n_cols` columns."""
    return softmax(inputs(n_rows, n_cols))


def reference(n_rows: int = 256, n_cols: int = 781) -> torch.Tensor:
    """Return what `example` should compute, by torch in double precision."""
    return torch.softmax(inputs(n_rows, n_cols).double(), dim=1).float()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("softmax agrees with torch")
