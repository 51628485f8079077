#: style = "helpers collected across modules of a package: relative, nested, starred, as module objects"
#: launches = ["scaled_sum"]
#: replay = {BLOCK = 32}
#: route = "driver"
#: stores = {o_ptr = 100}
#: loads = {x_ptr = 100, y_ptr = 100}
import torch
import triton
import triton.language as tl

from . import inner
from .inner import shapes as s
from .inner.maths import *
from .settings import BLOCK


@triton.jit
def scaled_sum(x_ptr, y_ptr, o_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + i, i < n), tl.load(y_ptr + i, i < n)
    tl.store(o_ptr + i, scaled(x + y, FACTOR), i < n)


def launcher(x, y):
    from .inner import maths

    out = torch.empty_like(x)
    n = x.numel()
    grid = (s.blocks_for(n, BLOCK),)
    scaled_sum[grid](x, y, out, n, FACTOR=maths.FACTOR, BLOCK=BLOCK)
    return out


def main():
    x, y = inner.two_vectors(100)
    torch.testing.assert_close(launcher(x, y), (x + y) * FACTOR)


if __name__ == "__main__":
    main()
