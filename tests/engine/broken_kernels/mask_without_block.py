#: kind = "a block mask for a single address"
#: line = 14
#: column = 4
#: message = ["Mask argument"]
#: hint = ["drop the mask"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x, 1.0, mask=i < 4)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
