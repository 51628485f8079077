#: kind = "an address stored as a value"
#: line = 14
#: column = 4
#: message = ["an address cannot be stored"]
#: hint = ["load what is at the address"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, x + i)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
