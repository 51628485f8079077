#: style = "a helper without @triton.jit, and Python's own functions, in a kernel"
#: launches = ["activated"]
#: compile = "leaky is a plain Python function"
#: findings = ["put @triton.jit above def leaky"]
#: gpu = false
import math

import torch
import triton
import triton.language as tl

SLOPE = tl.constexpr(math.sqrt(0.25))


def leaky(value, slope):
    return tl.where(value > 0, value, value * slope)


@triton.jit
def activated(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    tl.store(y + at, leaky(value, SLOPE), mask=at < n)


def example():
    x = torch.randn(40)
    y = torch.empty_like(x)
    activated[lambda meta: (triton.cdiv(40, meta["BLOCK"]),)](x, y, 40, BLOCK=16)
    torch.testing.assert_close(y, torch.where(x > 0, x, x * 0.5))
    return y
