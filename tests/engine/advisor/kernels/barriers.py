"""Averages over a window with a barrier in every step: no load begins before the one before it."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def window_kernel(x_ptr, y_ptr, n, steps, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for step in range(steps):
        total += tl.load(x_ptr + offsets + step * n, mask=offsets < n, other=0.0)
        tl.debug_barrier()
    tl.store(y_ptr + offsets, total / steps, mask=offsets < n)


def window(x):
    y = torch.empty(x.shape[1], device=x.device)
    window_kernel[lambda meta: (triton.cdiv(y.numel(), meta["BLOCK"]),)](
        x, y, y.numel(), x.shape[0], BLOCK=1024, num_warps=32
    )
    return y


def example(n=1 << 21):
    return window(torch.rand(64, n, device=DEVICE))


def reference(n=1 << 21):
    return torch.rand(64, n, device=DEVICE).mean(0)
