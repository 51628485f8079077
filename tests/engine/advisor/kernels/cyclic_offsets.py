"""Scales a vector; each program takes every n-th element instead of neighbours."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def scale_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = tl.arange(0, BLOCK) * tl.num_programs(0) + pid
    inside = offsets < n
    tl.store(y_ptr + offsets, 2.0 * tl.load(x_ptr + offsets, mask=inside), mask=inside)


def scale(x):
    y = torch.empty_like(x)
    scale_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel(), BLOCK=1024)
    return y


def example(n=1 << 26):
    return scale(torch.rand(n, device=DEVICE))


def reference(n=1 << 26):
    return 2 * torch.rand(n, device=DEVICE)
