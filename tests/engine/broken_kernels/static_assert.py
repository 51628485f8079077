#: kind = "tl.static_assert"
#: line = 13
#: column = 4
#: message = ["B must be a multiple of 64"]
#: hint = ["choose values"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.static_assert(B % 64 == 0, "B must be a multiple of 64")
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
