#: kind = "maxnreg that leaves no room for a program's threads"
#: line = 11
#: message = ["cannot launch", "a program can have 65536"]
#: hint = ["maxnreg=64", "num_warps=16"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b, c, d = tl.load(x + i), tl.load(x + i + B), tl.load(x + i + 2 * B), tl.load(x + i + 3 * B)
    for _ in range(n):
        a, b, c, d = b + a, c * a, d - b, a + c
    tl.store(x + i, a + b + c + d)


def example():
    k[(1,)](torch.zeros(4 * 32768), 3, 32768, num_warps=32, maxnreg=128)
