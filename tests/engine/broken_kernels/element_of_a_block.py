#: kind = "one element of a block by its number"
#: line = 14
#: column = 16
#: message = ["index"]
#: hint = ["tl.gather"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(x, v[0])


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
