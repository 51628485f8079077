#: kind = "a kernel named in letters that Triton takes for parameters and variables only"
#: line = 11
#: message = ["letters from a to z", "größe"]
#: hint = ["rename the kernel"]
import torch
import triton
import triton.language as tl


@triton.jit
def größe(länge, n, B: tl.constexpr):
    übrig = 1.0
    tl.store(länge, übrig)


def example():
    größe[(1,)](torch.zeros(1024), 3, 32)
