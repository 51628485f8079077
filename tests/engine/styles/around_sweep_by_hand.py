#: style = "a sweep timed by hand at import, up to 2^27 elements, with no guard"
#: launches = ["add", "add"]
#: counts = [1, 1]
#: replay = {BLOCK = 256}
import time

import torch
import triton
import triton.language as tl

assert torch.cuda.is_available(), "this script requires CUDA"
PROCESSORS = torch.cuda.get_device_properties(0).multi_processor_count
SIZE = 2000


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        i = block * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


def run(x, y):
    out = torch.empty_like(x)
    add[(min(PROCESSORS, 2),)](x, y, out, x.numel(), BLOCK=1024)
    return out


x = torch.linspace(0, 1, SIZE, device="cuda")
y = torch.linspace(2, 0, SIZE, device="cuda")
torch.testing.assert_close(run(x, y), x + y)
for power in range(12, 28):
    n = 2**power
    x = torch.rand(n, device="cuda")
    y = torch.rand(n, device="cuda")
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(100):
        run(x, y)
    torch.cuda.synchronize()
    taken = (time.perf_counter() - started) / 100
    print(n, f"{12 * n / max(taken, 1e-9) / 1e9:.1f} GB/s")
