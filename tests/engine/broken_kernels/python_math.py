#: kind = "Python's math on a kernel's value"
#: line = 15
#: column = 16
#: message = ["Python's own functions"]
#: hint = ["tl.sqrt"]
import math

import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, math.sqrt(n))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
