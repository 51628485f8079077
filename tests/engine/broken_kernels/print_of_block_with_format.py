#: kind = "tl.device_print without a text"
#: line = 13
#: column = 4
#: message = ["must be a text"]
#: hint = ["device_print("]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.device_print(n)
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
