#: style = "a typed driver that draws random numbers and names a helper module's members"
#: driver = "torch.manual_seed(3)\nx = torch.randn(60)\nfor _ in range(2):\n    out = add_to_all(x, strides.shift_of(4))"
#: launches = ["shift"]
#: counts = [2]
#: replay = {num_warps = 2}
#: gpu = false
#: stores = {o_ptr = 60}
import export_helpers.strides as strides
import torch
import triton
import triton.language as tl


@triton.jit
def shift(x_ptr, o_ptr, by, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + by.to(tl.float32), i < n)


def add_to_all(x, by):
    out = torch.empty_like(x)
    shift[(1,)](x, out, by, x.numel(), BLOCK=strides.padded(x.numel()))
    return out
