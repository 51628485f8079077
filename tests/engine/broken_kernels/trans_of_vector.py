#: kind = "tl.trans of a vector"
#: line = 13
#: column = 8
#: message = ["1-dimensional"]
#: hint = ["x[:, None]"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    v = tl.trans(tl.load(x + tl.arange(0, B)))
    tl.store(x + tl.arange(0, B), v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
