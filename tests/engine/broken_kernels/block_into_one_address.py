#: kind = "a block stored through one address"
#: line = 14
#: column = 4
#: message = ["block type"]
#: hint = ["tl.arange(0, BLOCK)"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x, tl.load(x + i))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
