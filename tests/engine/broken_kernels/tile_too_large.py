#: kind = "a tile beyond 1048576 elements"
#: line = 14
#: column = 13
#: message = ["4194304", "1048576"]
#: hint = ["block smaller"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    t = tl.arange(0, 2048)
    tl.store(x + t[:, None] + t[None, :], 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
