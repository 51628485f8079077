#: kind = "a mask of another shape than the addresses"
#: line = 14
#: column = 4
#: message = ["shape"]
#: hint = ["one shape"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i[:, None] < 4)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
