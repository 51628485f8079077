#: kind = "tl.dot whose inner dimensions differ"
#: line = 17
#: column = 8
#: message = ["the two K differ"]
#: hint = ["tl.trans(b)"]
#: detail = ["equal reduction dimensions"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i, j = tl.arange(0, B), tl.arange(0, 16)
    a = tl.load(x + i[:, None] * B + i[None, :])
    b = tl.load(x + j[:, None] * B + i[None, :])
    c = tl.dot(a, b)
    tl.store(x + i[:, None] * B + i[None, :], c)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
