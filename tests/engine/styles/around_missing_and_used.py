#: style = "really uses a third-party module that is not there"
#: driver = "example()"
#: findings = ["some_fast_attention is not installed, and some_fast_attention.prepare is used here", "pip install some_fast_attention"]
import some_fast_attention
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, offsets < n), offsets < n)


def example():
    x = some_fast_attention.prepare(torch.ones(64, device="cuda"))
    y = torch.empty_like(x)
    copy_kernel[(1,)](x, y, 64, BLOCK=64)
    return y
