#: kind = "a break"
#: line = 15
#: column = 12
#: message = ["Break"]
#: hint = ["mask"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    for j in range(B):
        if j > 3:
            break
        tl.store(x + j, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
