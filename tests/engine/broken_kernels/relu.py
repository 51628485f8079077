#: kind = "a function of neural networks"
#: line = 13
#: column = 16
#: message = ["no tl.relu"]
#: hint = ["tl.maximum(x, 0)"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, tl.relu(tl.load(x)))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
