#: kind = "a dictionary's comprehension"
#: line = 13
#: column = 14
#: message = ["comprehension", "DictComp"]
#: hint = ["a tuple"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    squares = {c: c for c in range(4)}
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
