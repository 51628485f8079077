#: kind = "a helper called with too many arguments"
#: line = 18
#: column = 16
#: message = ["scaled takes 2 arguments", "gives 3"]
#: hint = ["leave out the rest"]
import torch
import triton
import triton.language as tl


@triton.jit
def scaled(v, factor):
    return v * factor


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, scaled(1.0, 2.0, 3.0))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
