#: kind = "tl.dot with K below 16"
#: line = 16
#: column = 8
#: message = ["K >= 16"]
#: hint = ["K at least 16"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i, j = tl.arange(0, B), tl.arange(0, 8)
    a = tl.load(x + i[:, None] * 8 + j[None, :]).to(tl.float16)
    b = tl.load(x + j[:, None] * B + i[None, :]).to(tl.float16)
    c = tl.dot(a, b)
    tl.store(x + i[:, None] * B + i[None, :], c)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
