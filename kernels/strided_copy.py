"""Copy out of a wider matrix, with and without telling the compiler what is known.

The rows start at `row * stride`, and the compiler sees a plain number there: it cannot know that
every row is aligned, so it must not use 16-byte accesses. `tl.multiple_of` and `tl.max_contiguous`
promise it. HINTS switches them: look at the access widths in the SASS, at the time, and at what
happens to the promise when the stride is odd (then it is not made).
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit(do_not_specialize=["in_stride", "out_stride"])
def strided_copy_kernel(
    x_ptr, out_ptr, in_stride, out_stride, n_cols, BLOCK_SIZE: tl.constexpr, HINTS: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    source = row * in_stride
    target = row * out_stride
    if HINTS:
        source = tl.multiple_of(source, 16)
        target = tl.multiple_of(target, 16)
        columns = tl.max_contiguous(tl.multiple_of(columns, BLOCK_SIZE), BLOCK_SIZE)
    mask = columns < n_cols
    tl.store(out_ptr + target + columns, tl.load(x_ptr + source + columns, mask=mask), mask=mask)


def strided_copy(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Copy a matrix whose rows are contiguous into another of its shape, and return that."""
    if x.stride(1) != 1 or out.stride(1) != 1:
        raise ValueError("the columns must be next to each other: stride(1) has to be 1")
    n_rows, n_cols = x.shape
    aligned = all(tensor.stride(0) % 16 == 0 and tensor.data_ptr() % 16 == 0 for tensor in (x, out))

    def grid(meta):
        return (n_rows, triton.cdiv(n_cols, meta["BLOCK_SIZE"]))

    strided_copy_kernel[grid](
        x, out, x.stride(0), out.stride(0), n_cols, BLOCK_SIZE=1024, HINTS=aligned, num_warps=4
    )
    return out


def inputs(n_rows: int, n_cols: int, stride: int) -> torch.Tensor:
    """Return a matrix that is the left part of a wider one, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    return torch.randn(n_rows, max(stride, n_cols), device=DEVICE, generator=generator)[:, :n_cols]


def example(n_rows: int = 64, n_cols: int = 1500, stride: int = 2048) -> torch.Tensor:
    """Copy the left `n_cols` columns of a matrix whose rows are `stride` elements apart."""
    x = inputs(n_rows, n_cols, stride)
    width = triton.cdiv(n_cols, 16) * 16
    out = torch.empty((n_rows, width), device=x.device, dtype=x.dtype)[:, :n_cols]
    return strided_copy(x, out)


def reference(n_rows: int = 64, n_cols: int = 1500, stride: int = 2048) -> torch.Tensor:
    """Return what `example` should give: the same elements."""
    return inputs(n_rows, n_cols, stride).clone()


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("strided_copy copies")
