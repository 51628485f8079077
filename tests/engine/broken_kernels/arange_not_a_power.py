#: kind = "tl.arange of a length that is no power of two"
#: line = 13
#: column = 8
#: message = ["power of 2"]
#: hint = ["tl.arange(0, 64)"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, 48)
    tl.store(x + i, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
