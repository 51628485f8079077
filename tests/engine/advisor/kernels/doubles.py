"""Evaluates a polynomial of float32 numbers in float64."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def polynomial_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float64)
    y = x
    for _ in tl.static_range(128):
        y = y * x + 0.5
    tl.store(y_ptr + offsets, y.to(tl.float32), mask=inside)


def polynomial(x):
    y = torch.empty_like(x)
    polynomial_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](
        x, y, x.numel(), BLOCK=1024
    )
    return y


def example(n=1 << 24):
    return polynomial(0.5 * torch.rand(n, device=DEVICE))


def reference(n=1 << 24):
    x = 0.5 * torch.rand(n, device=DEVICE)
    y = x
    for _ in range(128):
        y = y * x + 0.5
    return y
