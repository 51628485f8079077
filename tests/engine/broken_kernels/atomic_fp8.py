#: kind = "an atomic add on fp8"
#: line = 14
#: column = 4
#: message = ["atomic_add", "fp8e5"]
#: hint = ["float32 or int32"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(x + i, 1.0)


def example():
    k[(1,)](torch.zeros(1024).to(torch.float8_e5m2), 3, 32)
