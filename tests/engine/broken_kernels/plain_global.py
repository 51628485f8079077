#: kind = "a plain global of the file"
#: line = 15
#: column = 22
#: message = ["SCALE"]
#: hint = ["SCALE = tl.constexpr(3)"]
import torch
import triton
import triton.language as tl

SCALE = 3


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, 1.0 * SCALE)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
