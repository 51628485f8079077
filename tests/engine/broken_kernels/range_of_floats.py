#: kind = "a loop over a float"
#: line = 13
#: column = 4
#: message = ["whole numbers"]
#: hint = ["integers"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    for j in range(0.5):
        tl.store(x + j, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
