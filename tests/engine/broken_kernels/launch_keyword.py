#: kind = "a launch option mistyped"
#: line = 16
#: message = ["num_warp"]
#: hint = ["num_warps"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32, num_warp=4)
