#: kind = "one value assigned to two names"
#: line = 13
#: column = 4
#: message = ["multiple assignment"]
#: hint = ["one assignment per line"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    a = b = tl.load(x)
    tl.store(x, a + b)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
