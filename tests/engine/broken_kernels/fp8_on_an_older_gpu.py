#: kind = "fp8 on a GPU without it"
#: line = 15
#: column = 20
#: target = "cuda:80"
#: message = ["fp8e4nv"]
#: hint = ["cuda:80"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i).to(tl.float8e4nv).to(tl.float32))


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
