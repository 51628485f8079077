#: kind = "an if over a whole block"
#: line = 14
#: column = 4
#: message = ["more than one value"]
#: hint = ["tl.where"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    if v > 0:
        tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
