#: kind = "a with statement"
#: line = 13
#: column = 4
#: message = []
#: hint = ["out of the kernel"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    with tl.zeros((4,), tl.float32):
        tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
