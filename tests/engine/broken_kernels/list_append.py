#: kind = "a list that grows"
#: line = 14
#: column = 4
#: message = ["append"]
#: hint = ["cannot grow"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    rows = [1.0]
    rows.append(2.0)
    tl.store(x, rows[1])


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
