#: kind = "tl.where of shapes that do not broadcast"
#: line = 14
#: column = 8
#: message = ["16", "32"]
#: hint = ["x[:, None]"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.where(i < 4, tl.arange(0, 16), i)
    tl.store(x + i, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
