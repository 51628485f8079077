#: kind = "raise"
#: line = 14
#: column = 8
#: message = ["Raise"]
#: hint = ["tl.device_assert"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    if n < 0:
        raise ValueError("negative")
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
