#: kind = "a tl.constexpr set twice"
#: line = 14
#: column = 4
#: message = ["HALF is a tl.constexpr"]
#: hint = ["another name"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    HALF: tl.constexpr = B // 2
    HALF: tl.constexpr = B // 4
    tl.store(x + tl.arange(0, HALF), 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
