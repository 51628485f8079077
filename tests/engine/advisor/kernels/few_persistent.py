"""A loop over blocks by 32 programs that stay."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def scale_kernel(x_ptr, y_ptr, n, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, PROGRAMS * BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < n
        tl.store(y_ptr + offsets, 2.0 * tl.load(x_ptr + offsets, mask=inside), mask=inside)


def scale(x):
    y = torch.empty_like(x)
    scale_kernel[lambda meta: (meta["PROGRAMS"],)](x, y, x.numel(), PROGRAMS=32, BLOCK=2048)
    return y


def example(n=1 << 24):
    return scale(torch.rand(n, device=DEVICE))


def reference(n=1 << 24):
    return 2 * torch.rand(n, device=DEVICE)
