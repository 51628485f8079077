#: kind = "a helper's keyword mistyped"
#: line = 18
#: column = 16
#: message = ["no parameter facter"]
#: hint = ["did you mean factor=?"]
import torch
import triton
import triton.language as tl


@triton.jit
def scaled(v, factor):
    return v * factor


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, scaled(1.0, facter=2.0))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
