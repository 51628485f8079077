#: kind = "a return inside a loop"
#: line = 14
#: column = 8
#: message = ["return"]
#: hint = ["at the end of the function"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    for j in range(n):
        if j > 3:
            return
        tl.store(x + j, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
