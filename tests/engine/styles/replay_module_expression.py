#: style = "a block size that a module-level expression makes out of other numbers"
#: launches = ["negate"]
#: replay = {BLOCK = 64}
#: route = "driver"
#: loads = {x = 600}
#: stores = {out = 600}
import torch
import triton
import triton.language as tl

LANES = 32
TILE = LANES * 8
N = 600


@triton.jit
def negate(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, -tl.load(x + i, i < n), i < n)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(N, device=device)
out = torch.empty_like(x)
negate[triton.cdiv(N, TILE),](x, out, N, TILE)
torch.testing.assert_close(out, -x)
