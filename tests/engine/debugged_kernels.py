"""Kernels that are stepped through, print, and make numbers that are not finite; found by marks."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def twice(v):
    return v + v  # in the helper


@triton.jit
def sums(x_ptr, out_ptr, n, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    pid = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, ROUNDS):  # the loop
        place = (pid * ROUNDS + k) * BLOCK + tl.arange(0, BLOCK)  # first in the loop
        x = tl.load(
            x_ptr + place,
            mask=place < n,
            other=0.0,
        )
        total += twice(x)  # the call
    tl.device_print("total", total)
    tl.static_print("BLOCK is", BLOCK)
    tl.store(out_ptr + pid * BLOCK + tl.arange(0, BLOCK), total)  # the store


@triton.jit
def logs(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < n
    x = tl.load(x_ptr + place, mask=inside, other=-1.0)
    y = tl.log(x)  # the logarithm
    z = y * 2.0
    tl.store(out_ptr + place, z, mask=inside)  # stores the logarithm


def example(n: int = 60):
    x = torch.arange(n, dtype=torch.float32, device=DEVICE)
    out = torch.zeros(2 * 16, device=DEVICE)
    sums[(2,)](x, out, n, BLOCK=16, ROUNDS=2)
    y = torch.ones(n, device=DEVICE)
    logs[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return out, y


def reference(n: int = 60):
    x = torch.arange(n, dtype=torch.float64, device=DEVICE)
    padded = torch.nn.functional.pad(x, (0, 64 - n)).reshape(2, 2, 16)
    out = 2 * padded.sum(1).reshape(-1)
    out[20] += 1.0  # wrong on purpose: program 1, element 4
    return out, 2 * x.log()
