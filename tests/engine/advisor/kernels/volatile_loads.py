"""Adds two vectors of bytes; both loads are volatile."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, volatile=True)
    y = tl.load(y_ptr + offsets, mask=inside, volatile=True)
    tl.store(out_ptr + offsets, x + y, mask=inside)


def inputs(n):
    x = torch.randint(0, 60, (2, n), device=DEVICE, dtype=torch.int8)
    return x[0], x[1]


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](
        x, y, out, x.numel(), BLOCK=4096
    )
    return out


def example(n=1 << 28):
    return add(*inputs(n))


def reference(n=1 << 28):
    x, y = inputs(n)
    return x + y
