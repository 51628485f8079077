#: kind = "an address multiplied"
#: line = 13
#: column = 16
#: message = ["pointer<fp32>"]
#: hint = ["load the value"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    tl.store(x, x * 2)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
