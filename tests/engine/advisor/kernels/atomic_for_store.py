"""Writes squares into zeros by an atomic although no program shares an element."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def squares_kernel(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = offsets % 1000
    tl.atomic_add(out_ptr + offsets, number * number, mask=offsets < n)


def squares(n):
    out = torch.zeros(n, device=DEVICE, dtype=torch.int32)
    squares_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](out, n, BLOCK=1024)
    return out


def example(n=1 << 25):
    return squares(n)


def reference(n=1 << 25):
    return (torch.arange(n, device=DEVICE) % 1000).square().int()
