#: kind = "tl.load of a number"
#: line = 14
#: column = 20
#: message = ["ptr type"]
#: hint = ["a number"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(n + i))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
