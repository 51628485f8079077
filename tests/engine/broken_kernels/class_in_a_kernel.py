#: kind = "a class inside a kernel"
#: line = 13
#: column = 4
#: message = ["ClassDef"]
#: hint = ["top of the file"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    class Pair:
        left = 1
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
