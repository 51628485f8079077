#: kind = "a lambda"
#: line = 13
#: column = 13
#: message = ["Lambda"]
#: hint = ["@triton.jit"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    double = lambda v: v * 2
    tl.store(x, double(1.0))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
