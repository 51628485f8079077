#: kind = "a block size that is no tl.constexpr"
#: line = 13
#: column = 8
#: message = ["known when compiling"]
#: hint = ["B: tl.constexpr"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B):
    i = tl.arange(0, B)
    tl.store(x + i, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
