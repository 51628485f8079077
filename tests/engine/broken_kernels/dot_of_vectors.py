#: kind = "tl.dot of vectors"
#: line = 14
#: column = 8
#: message = ["2 or 3 dimensions"]
#: hint = ["tl.sum(a * b"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    c = tl.dot(a, a)
    tl.store(x, c)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
