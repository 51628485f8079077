#: style = "parameters called as Triton's own arguments of a launch are: grid, warmup"
#: launches = ["shifted"]
#: replay = {B = 32}
#: route = "driver"
#: loads = {x = 300}
#: stores = {out = 300}
import torch
import triton
import triton.language as tl


@triton.jit
def shifted(x, out, grid, warmup, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, i < grid) + warmup, i < grid)


def example(n: int = 300):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    out = torch.empty_like(x)
    shifted[(triton.cdiv(n, 64),)](x, out, n, 3, B=64)
    assert torch.equal(out, x + 3)
    return out
