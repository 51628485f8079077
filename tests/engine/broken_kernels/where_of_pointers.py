#: kind = "tl.where between an address and a value"
#: line = 14
#: column = 8
#: message = ["pointer"]
#: hint = ["load"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.where(i < 4, x + i, tl.load(x + i))
    tl.store(x + i, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
