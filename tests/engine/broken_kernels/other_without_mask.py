#: kind = "other= without a mask"
#: line = 14
#: column = 20
#: message = ["other"]
#: hint = ["mask"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, other=0.0))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
