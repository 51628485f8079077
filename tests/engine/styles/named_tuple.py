#: style = "arguments that are named tuples of tensors and numbers"
#: launches = ["axpby"]
#: replay = {BLOCK = 128}
#: loads = {a = 200, b = 150}
#: stores = {out = 200}
from typing import NamedTuple

import torch
import triton
import triton.language as tl


class Vector(NamedTuple):
    data: torch.Tensor
    size: int
    scale: float


@triton.jit
def load(v, i):
    return tl.load(v.data + i, i < v.size, other=0.0) * v.scale


@triton.jit
def axpby(a, b, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, load(a, i) + load(b, i), i < n)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = torch.rand(200, device=device), torch.rand(150, device=device)
    out = torch.empty(200, device=device)
    grid = lambda meta: (triton.cdiv(200, meta["BLOCK"]),)
    axpby[grid](Vector(x, 200, 2.0), Vector(y, 150, -1.0), out, 200, BLOCK=64)
    want = 2 * x
    want[:150] -= y
    torch.testing.assert_close(out, want)
