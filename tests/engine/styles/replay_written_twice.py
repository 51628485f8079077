#: style = "one block size written down twice, in the grid and in the call"
#: launches = ["halve"]
#: replay = {BLOCK = 32}
#: route = "driver"
#: loads = {x = 1000}
#: stores = {out = 1000}
import torch
import triton
import triton.language as tl


@triton.jit
def halve(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) / 2, i < n)


def example(n: int = 1000):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    out = torch.empty_like(x)
    halve[(triton.cdiv(n, 256),)](x, out, n, BLOCK=256)
    return out, x / 2
