"""RMS norm: rows scaled by the root of their mean square, for rows of any length.

Unlike softmax.py the row need not fit into one block: a program walks along its row twice, first
for the sum of squares, then to scale. BLOCK_SIZE is a free knob here. The second walk reads the row
again, out of the L2 if it is still there: the loads per element are 2, and a cold and a warm timing
differ.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def rms_norm_kernel(
    x_ptr, weight_ptr, out_ptr, x_stride, out_stride, n_cols, eps, BLOCK_SIZE: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)  # rows times stride may pass 2^31
    squares = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for first in range(0, n_cols, BLOCK_SIZE):
        columns = first + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_stride + columns, mask=columns < n_cols, other=0.0)
        squares += x.to(tl.float32) * x.to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / n_cols + eps)
    for first in range(0, n_cols, BLOCK_SIZE):
        columns = first + tl.arange(0, BLOCK_SIZE)
        mask = columns < n_cols
        x = tl.load(x_ptr + row * x_stride + columns, mask=mask, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        out = x * scale * weight
        tl.store(out_ptr + row * out_stride + columns, out.to(out_ptr.dtype.element_ty), mask=mask)


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """Return each row of a matrix divided by its root mean square, times `weight`."""
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    rms_norm_kernel[(n_rows,)](
        x, weight, out, x.stride(0), out.stride(0), n_cols, eps, BLOCK_SIZE=2048, num_warps=4
    )
    return out


def inputs(n_rows: int, n_cols: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a random matrix and weights, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    x = torch.randn(n_rows, n_cols, device=DEVICE, generator=generator)
    weight = torch.randn(n_cols, device=DEVICE, generator=generator)
    return x.to(dtype), weight.to(dtype)


def example(
    n_rows: int = 128, n_cols: int = 2500, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """Normalise `n_rows` random rows of `n_cols` columns."""
    return rms_norm(*inputs(n_rows, n_cols, dtype))


def reference(
    n_rows: int = 128, n_cols: int = 2500, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """Return what `example` should compute, by torch in double precision."""
    x, weight = (tensor.double() for tensor in inputs(n_rows, n_cols, dtype))
    scale = torch.rsqrt(x.square().mean(dim=1, keepdim=True) + 1e-6)
    return (x * scale * weight).to(dtype)


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference(), rtol=1e-4, atol=1e-4)
    print("rms_norm agrees with torch")
