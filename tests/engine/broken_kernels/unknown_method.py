#: kind = "a method that no block has"
#: line = 14
#: column = 16
#: message = ["mean"]
#: hint = ["tl.sum"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(x, v.mean())


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
