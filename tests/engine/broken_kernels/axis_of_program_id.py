#: kind = "a fourth grid axis"
#: line = 13
#: column = 10
#: message = ["axis must be 0, 1, or 2"]
#: hint = ["0, 1 or 2"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    pid = tl.program_id(3)
    tl.store(x + pid, 1.0)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
