#: kind = "tl.arange that ends before it starts"
#: line = 13
#: column = 8
#: message = ["end after it starts"]
#: hint = ["tl.arange(0, length)"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(32, 0)
    tl.store(x + i, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
