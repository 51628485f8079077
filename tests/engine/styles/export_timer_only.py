#: style = "launches through torch's benchmark timer alone, at a falling size"
#: launches = ["negate"]
#: route = "driver"
#: replay = {BLOCK = 256}
#: findings = ["torch.utils.benchmark at line 31 ran once", "instead of 3 times"]
#: stores = {out = 2048}
import torch
import triton
import triton.language as tl
from torch.utils import benchmark


@triton.jit
def negate(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, -tl.load(x + i, i < n), i < n)


def run(x):
    out = torch.empty_like(x)
    negate[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


if __name__ == "__main__":
    for size in (1 << 27, 1 << 20, 2048):
        x = torch.arange(size, device="cuda", dtype=torch.float32)
        timer = benchmark.Timer(
            stmt="run(x)", globals={"run": run, "x": x}, label="negate", num_threads=1
        )
        print(timer.blocked_autorange(min_run_time=2).median)
