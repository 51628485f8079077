#: kind = "a shift of a float"
#: line = 14
#: column = 16
#: message = ["invalid operands"]
#: hint = ["integers"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.load(x)
    tl.store(x, v << 2)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
