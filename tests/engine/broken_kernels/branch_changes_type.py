#: kind = "a value whose type depends on the branch"
#: line = 13
#: column = 4
#: message = ["Mismatched type for v"]
#: hint = ["cast one of them"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    if n > 3:
        v = tl.load(x)
    else:
        v = n
    tl.store(x, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
