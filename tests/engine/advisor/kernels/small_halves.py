"""Adds float16 vectors in blocks of 128 elements by one warp."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)


def inputs(n):
    return torch.rand(n, device=DEVICE).half(), torch.rand(n, device=DEVICE).half()


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](
        x, y, out, x.numel(), BLOCK=64, num_warps=1
    )
    return out


def example(n=1 << 25):
    return add(*inputs(n))


def reference(n=1 << 25):
    x, y = inputs(n)
    return x + y
