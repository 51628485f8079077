"""Vector add: the smallest kernel that shows programs, blocks and masks.

Each program adds one block of BLOCK_SIZE elements; the mask cuts the tail of the last block. Three
arrays pass through memory and nothing is reused, so the time is bytes over bandwidth: watch GB/s
reach the copy ceiling as the problem grows, and the tail program appear when `size` is no multiple
of BLOCK_SIZE.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements  # the last block is rarely full
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return x + y for two contiguous tensors of one shape."""
    out = torch.empty_like(x)
    n_elements = out.numel()

    def grid(meta):
        return (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)

    add_kernel[grid](x, y, out, n_elements, BLOCK_SIZE=1024)
    return out


def inputs(size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two random vectors, the same at every call."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    x = torch.randn(size, device=DEVICE, generator=generator)
    y = torch.randn(size, device=DEVICE, generator=generator)
    return x, y


def example(size: int = 98432) -> torch.Tensor:
    """Add two vectors of `size` elements."""
    return add(*inputs(size))


def reference(size: int = 98432) -> torch.Tensor:
    """Return what `example` should compute, by torch."""
    x, y = inputs(size)
    return x + y


if __name__ == "__main__":
    torch.testing.assert_close(example(), reference())
    print("vector add agrees with torch")
