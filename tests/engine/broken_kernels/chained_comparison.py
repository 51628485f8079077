#: kind = "a chained comparison"
#: line = 15
#: column = 30
#: triton = "< 3.9"
#: message = ["three values"]
#: hint = ["&"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, 1.0, mask=2 < i < 9)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
