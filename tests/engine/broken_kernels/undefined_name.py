#: kind = "a name that nothing defines"
#: line = 14
#: column = 20
#: message = ["scale"]
#: hint = ["known neither"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, scale * 2.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
