#: kind = "a tl function that does not exist"
#: line = 13
#: column = 16
#: message = ["sqroot"]
#: hint = ["tl.sqrt"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, tl.sqroot(tl.load(x)))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
