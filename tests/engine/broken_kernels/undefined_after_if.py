#: kind = "a name that only one branch sets"
#: line = 15
#: column = 16
#: message = ["v"]
#: hint = ["before"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    if n > 2:
        v = 1.0
    tl.store(x, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
