#: kind = "a dictionary"
#: line = 13
#: column = 12
#: message = ["Dict"]
#: hint = ["constexpr parameters"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    table = {"a": 1}
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
