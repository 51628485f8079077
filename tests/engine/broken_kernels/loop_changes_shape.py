#: kind = "a value whose shape changes in a loop"
#: line = 14
#: column = 4
#: message = ["total"]
#: hint = ["tl.zeros((BLOCK,)"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    total = 0.0
    for j in range(n):
        total += tl.load(x + tl.arange(0, B))
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
