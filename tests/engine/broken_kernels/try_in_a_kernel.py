#: kind = "try and except"
#: line = 13
#: column = 4
#: message = ["Try"]
#: hint = ["tl.where"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    try:
        tl.store(x, 1.0)
    except ValueError:
        pass


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
