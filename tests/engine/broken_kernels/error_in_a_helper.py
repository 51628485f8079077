#: kind = "an error inside a helper of the same file"
#: line = 14
#: column = 18
#: message = ["32 and 64", "in total called on line"]
#: hint = ["x[:, None]"]
#: detail = ["reached by", "make_shape_compatible"]
import torch
import triton
import triton.language as tl


@triton.jit
def total(v):
    return tl.sum(v + tl.arange(0, 64))


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, total(tl.load(x + tl.arange(0, B))))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
