#: kind = "a function that only libdevice has"
#: line = 13
#: column = 16
#: message = ["tanh"]
#: hint = ["libdevice"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, tl.math.tanh(tl.load(x)))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
