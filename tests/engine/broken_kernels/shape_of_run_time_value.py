#: kind = "a shape known at run time only"
#: line = 13
#: column = 8
#: message = ["element 0 of the shape"]
#: hint = ["tl.constexpr"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.zeros((n,), tl.float32)
    tl.store(x, tl.sum(v))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
