#: kind = "an element of a block assigned"
#: line = 14
#: column = 4
#: message = ["cannot be assigned"]
#: hint = ["tl.where"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    v[0] = 1.0
    tl.store(x + tl.arange(0, B), v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
