#: kind = "a helper that returns different types"
#: line = 15
#: column = 4
#: message = ["return"]
#: hint = ["cast the returned values"]
import torch
import triton
import triton.language as tl


@triton.jit
def pick(n):
    if n > 3:
        return 1.0
    return n


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, pick(n))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
