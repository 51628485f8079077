#: kind = "a conversion that the target does not have"
#: line = 15
#: column = 8
#: target = "hip:gfx942"
#: message = ["no conversion to or from the type"]
#: hint = ["tl.float16", "hip:gfx942"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i).to(tl.float8e4b15)
    tl.store(x + i, v.to(tl.float32))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
