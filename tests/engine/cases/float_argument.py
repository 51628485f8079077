"""Arguments that the compiler takes as tensors: floats, ints, bools; constexprs spelt as text."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def add(x, o, eps, n, flag):
    value = tl.load(x) + eps.to(tl.float32) + n.to(tl.float32)
    tl.store(o, value + flag.to(tl.float32))


@triton.jit
def double(o, v: tl.float64):
    tl.store(o, v)


@triton.jit
def scale(x, o, factor, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i) * factor)


def case():
    x, o = torch.ones(4), torch.zeros(4)
    add[(1,)](x, o, 0.5, 3, True)
    exact = torch.zeros(1, dtype=torch.float64)
    double[(1,)](exact, 0.1)
    # half times a float argument is float32 to the compiler: 2049 survives the product.
    wide = torch.zeros(4)
    scale[[1]](torch.full((4,), 683.0, dtype=torch.float16), wide, 3.0, 4)  # a grid in a list
    return {"sum": o[0].item(), "double": exact.item(), "product": wide.tolist()}
