#: style = "calls ipdb.set_trace(), pdb.set_trace() and breakpoint()"
#: driver = "example()"
#: launches = ["negate_kernel"]
#: replay = {BLOCK = 16}
#: route = "driver"
#: findings = ["breakpoint() was passed by", "pdb.set_trace() was passed by", "ipdb.set_trace() was passed by"]
#: stores = {y_ptr = 100}
import pdb

import ipdb
import torch
import triton
import triton.language as tl


@triton.jit
def negate_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, -tl.load(x_ptr + offsets, offsets < n), offsets < n)


def example():
    x = torch.arange(100.0, device="cuda")
    y = torch.empty_like(x)
    breakpoint()
    negate_kernel[(triton.cdiv(100, 32),)](x, y, 100, BLOCK=32)
    pdb.set_trace()
    ipdb.set_trace()
    assert torch.equal(y, -x)
    return y
