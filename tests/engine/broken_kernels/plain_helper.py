#: kind = "a helper without @triton.jit"
#: line = 17
#: column = 16
#: message = ["double"]
#: hint = ["@triton.jit"]
import torch
import triton
import triton.language as tl


def double(v):
    return v * 2


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, double(1.0))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
