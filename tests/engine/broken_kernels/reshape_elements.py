#: kind = "a reshape to another number of elements"
#: line = 13
#: column = 8
#: message = ["elements"]
#: hint = ["keeps the number"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.reshape(tl.load(x + tl.arange(0, B)), (B, 2))
    tl.store(x, tl.sum(v))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
