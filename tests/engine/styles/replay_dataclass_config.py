#: style = "a block size held in a dataclass, its grid a tuple computed from it by the host"
#: launches = ["scale"]
#: replay = {BLOCK = 64}
#: route = "driver"
#: loads = {x = 1000}
#: stores = {out = 1000}
from dataclasses import dataclass

import torch
import triton
import triton.language as tl


@dataclass
class ScaleConfig:
    factor: float = 3.0
    block: int = 256


@triton.jit
def scale(x, out, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, m) * factor, m)


def run(x, config):
    out = torch.empty_like(x)
    n = x.numel()
    blocks = (n + config.block - 1) // config.block
    scale[(blocks,)](x, out, config.factor, n, BLOCK=config.block)
    return out


def example(n: int = 1000):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    out = run(x, ScaleConfig())
    torch.testing.assert_close(out, x * 3.0)
    return out
