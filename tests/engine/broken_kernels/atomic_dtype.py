#: kind = "an atomic on a dtype it does not know"
#: line = 14
#: column = 4
#: message = ["atomic_max", "fp16"]
#: hint = ["float32 or int32"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_max(x + i, i.to(tl.float64))


def example():
    k[(1,)](torch.zeros(1024, dtype=torch.float16), 3, 32)
