#: kind = "tl.dot of two dtypes"
#: line = 16
#: column = 8
#: message = ["one dtype", "fp16 and fp32"]
#: hint = ["b.to(a.dtype)"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i[:, None] * B + i[None, :]).to(tl.float16)
    b = tl.load(x + i[:, None] * B + i[None, :])
    c = tl.dot(a, b)
    tl.store(x + i[:, None] * B + i[None, :], c)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
