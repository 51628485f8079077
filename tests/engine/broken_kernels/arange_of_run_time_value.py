#: kind = "tl.arange of a value known at run time only"
#: line = 13
#: column = 8
#: message = ["tl.constexpr"]
#: hint = ["power of two"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(x + i, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
