#: kind = "a function inside a kernel"
#: line = 13
#: column = 4
#: message = ["another function"]
#: hint = ["top of the file"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    def double(v):
        return v * 2
    tl.store(x, double(1.0))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
