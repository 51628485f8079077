#: kind = "values compared and swapped of another type than the tensor"
#: line = 13
#: column = 13
#: message = ["own check of atomic_cas fails", "ptr type matches cmp type"]
#: hint = ["old.to(dtype)"]
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, n, B: tl.constexpr):
    before = tl.atomic_cas(x, 1.0, 2.0)
    tl.store(x, before)


def example():
    k[(1,)](torch.zeros(1024).half(), 3, 32)
