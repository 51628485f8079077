#: kind = "num_warps that is no power of two"
#: line = 16
#: message = ["num_warps", "power of 2"]
#: hint = ["num_warps=3: try 2 or 4"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32, num_warps=3)
