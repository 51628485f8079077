#: style = "a file of a package: relative imports, helpers in the parent, an __init__ that imports it and one that fails"
#: driver = "example()"
#: launches = ["scale_kernel"]
#: replay = {BLOCK = 64}
#: route = "driver"
#: findings = ["around_placed/__init__.py, fails: RuntimeError: this package starts a cluster"]
#: stores = {y_ptr = 90}
import torch
import triton
import triton.language as tl

from ..common.sizes import BLOCK, on_gpu
from .helpers import programs, scaled


@triton.jit
def scale_kernel(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < n)
    tl.store(y_ptr + offsets, scaled(x, factor), offsets < n)


def scale(x, factor):
    y = torch.empty_like(x)
    block = BLOCK
    scale_kernel[programs(x.numel(), block)](x, y, x.numel(), factor, BLOCK=block)
    return y


def example():
    y = scale(on_gpu(90), 3.0)
    assert (y == 3.0).all()
    return y
