#: kind = "a helper that calls itself"
#: line = 15
#: column = 11
#: message = ["countdown calls itself"]
#: hint = ["as a loop"]
import torch
import triton
import triton.language as tl


@triton.jit
def countdown(n):
    if n == 0:
        return 0
    return countdown(n - 1)


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, countdown(n))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
