#: kind = "a value whose type changes in a loop"
#: line = 14
#: column = 4
#: message = ["total", "fp32"]
#: hint = ["total = 0.0"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    total = 0
    for j in range(n):
        total += tl.load(x + j)
    tl.store(x, total)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
