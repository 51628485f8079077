#: kind = "an f-string with a run-time value"
#: line = 13
#: column = 20
#: message = ["known when compiling only"]
#: hint = ["tl.device_print"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.static_print(f"n is {n}")
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
