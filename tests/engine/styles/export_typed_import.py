#: style = "a typed driver that imports the file's own helpers by name"
#: driver = "import torch\nfrom export_helpers import strides as s\nfrom export_typed_import import moved\nout = moved(torch.arange(60.0), s.shift_of(4))"
#: launches = ["shift"]
#: replay = {num_warps = 2}
#: gpu = false
#: stores = {o_ptr = 60}
import torch
import triton
import triton.language as tl


@triton.jit
def shift(x_ptr, o_ptr, by, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + by, i < n)


def moved(x, by):
    out = torch.empty_like(x)
    shift[(1,)](x, out, by, x.numel(), BLOCK=64)
    return out
