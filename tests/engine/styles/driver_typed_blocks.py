#: style = "a typed driver that launches by itself, its block size written in grid and call"
#: driver = "x = torch.arange(100.0)\nout = torch.empty(100)\nBLOCK = 32\ndouble[(triton.cdiv(100, BLOCK),)](x, out, 100, BLOCK=BLOCK)\ntorch.testing.assert_close(out, x * 2)\nout"
#: launches = ["double"]
#: gpu = false
#: knobs = {BLOCK = 32}
#: replay = {BLOCK = 8}
#: route = "driver"
#: stores = {o_ptr = 100}
import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)


def on(device):
    return torch.arange(100.0, device=device)
