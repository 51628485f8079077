"""Scales a vector; sixteen programs share all of it."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def scale_kernel(x_ptr, y_ptr, n, CHUNK: tl.constexpr, BLOCK: tl.constexpr):
    start = tl.program_id(0) * CHUNK
    for step in range(0, CHUNK, BLOCK):
        offsets = start + step + tl.arange(0, BLOCK)
        inside = offsets < n
        tl.store(y_ptr + offsets, 2.0 * tl.load(x_ptr + offsets, mask=inside), mask=inside)


def scale(x):
    y = torch.empty_like(x)
    scale_kernel[lambda meta: (triton.cdiv(x.numel(), meta["CHUNK"]),)](
        x, y, x.numel(), CHUNK=1 << 20, BLOCK=4096
    )
    return y


def example(n=1 << 24):
    return scale(torch.rand(n, device=DEVICE))


def reference(n=1 << 24):
    return 2 * torch.rand(n, device=DEVICE)
