#: style = "launch_pdl= and grid dependency control: one kernel starts before the other has ended"
#: launches = ["produce", "consume"]
#: launch = 1
#: replay = {BLOCK = 128}
#: loads = {x = 300}
#: stores = {y = 300}
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def produce(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, i * 0.5, i < n)
    gdc_launch_dependents()


@triton.jit
def consume(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gdc_wait()
    tl.store(y + i, tl.load(x + i, i < n) + 1.0, i < n)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    n = 300
    x, y = torch.empty(n, device=device), torch.empty(n, device=device)
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    produce[grid](x, n, BLOCK=64, launch_pdl=True)
    consume[grid](x, y, n, BLOCK=64, launch_pdl=True)
    assert torch.equal(y, torch.arange(n, device=device) * 0.5 + 1.0)
