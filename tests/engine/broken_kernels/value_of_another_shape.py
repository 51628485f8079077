#: kind = "a block stored through addresses of another length"
#: line = 13
#: column = 4
#: message = ["32 and 16"]
#: hint = ["x[:, None]"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), tl.load(x + tl.arange(0, 16)))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
