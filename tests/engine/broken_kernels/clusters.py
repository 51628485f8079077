#: kind = "num_ctas on a GPU without clusters"
#: line = 17
#: target = "cuda:80"
#: message = ["num_ctas"]
#: hint = ["leave num_ctas at 1"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32, num_ctas=2)
