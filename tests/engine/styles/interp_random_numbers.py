#: style = "random numbers of a seed: tl.rand, tl.randn, tl.randint"
#: launches = ["noisy"]
#: replay = {BLOCK = 64}
#: loads = {x = 1000}
#: stores = {y = 1000}
import torch
import triton
import triton.language as tl


@triton.jit
def noisy(x, y, n, keep, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    kept = tl.rand(seed, at) < keep
    noise = tl.randn(seed + 1, at) * 0.0 + tl.randint(seed, at).to(tl.float32) * 0.0
    tl.store(y + at, tl.where(kept, value / keep + noise, 0.0), mask=at < n)


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.rand(1000, device=device) + 1.0
    y = torch.empty_like(x)
    noisy[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, 1000, 0.75, 2**40 + 7, BLOCK=256)
    kept = y != 0
    assert 700 < int(kept.sum()) < 800
    torch.testing.assert_close(y[kept], x[kept] / 0.75)
    return y
