#: kind = "an error inside triton's own library"
#: line = 14
#: column = 16
#: message = ["axis"]
#: hint = ["from 0"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(x, tl.sum(v, axis=2))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
