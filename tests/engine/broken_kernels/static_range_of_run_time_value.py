#: kind = "a loop unrolled over a number known at run time only"
#: line = 14
#: column = 4
#: message = ["tl.static_range must be known when compiling"]
#: hint = ["write range(n)"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    total = 0.0
    for _ in tl.static_range(n):
        total += 1.0
    tl.store(x, total)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
