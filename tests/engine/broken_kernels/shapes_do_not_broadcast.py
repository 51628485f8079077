#: kind = "two blocks of different lengths added"
#: line = 15
#: column = 34
#: message = ["do not fit together", "32 and 64"]
#: hint = ["x[:, None]"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    b = tl.load(x + tl.arange(0, 64))
    tl.store(x + tl.arange(0, B), a + b)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
