#: style = "a constexpr that is half of a block size, and a grid made of the whole"
#: launches = ["double"]
#: replay = {HALF = 16}
#: route = "driver"
#: loads = {x = 512}
#: stores = {out = 512}
import torch
import triton
import triton.language as tl


@triton.jit
def double(x, out, HALF: tl.constexpr):
    base = tl.program_id(0) * 2 * HALF
    i = base + tl.arange(0, HALF)
    tl.store(out + i, 2 * tl.load(x + i))
    tl.store(out + i + HALF, 2 * tl.load(x + i + HALF))


def doubled(x, BLOCK=128):
    assert x.numel() % BLOCK == 0
    out = torch.empty_like(x)
    double[(x.numel() // BLOCK,)](x, out, HALF=BLOCK // 2)
    return out


def example(n: int = 512):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    out = doubled(x)
    torch.testing.assert_close(out, 2 * x)
    return out
