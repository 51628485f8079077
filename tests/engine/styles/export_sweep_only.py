#: style = "a sweep timed by hand is all that launches: its export is checked at the size seen here"
#: launches = ["scale"]
#: counts = [2]
#: route = "driver"
#: replay = {BLOCK = 256}
#: findings = ["the timing sweep at line 37 went once, at its smallest size"]
#: stores = {out = 1024}
import time

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * 3, i < n)


def run(x):
    out = torch.empty_like(x)
    scale[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


def timed(x, repeats=1000):
    run(x)
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(repeats):
        run(x)
    torch.cuda.synchronize()
    return (time.perf_counter() - started) / repeats


for power in range(10, 28):
    x = torch.rand(2**power, device="cuda")
    print(2**power, timed(x))
