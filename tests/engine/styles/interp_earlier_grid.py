#: style = "gdc intrinsics: a kernel that waits for an earlier grid"
#: launches = ["first", "second"]
#: launch = 1
#: loads = {x = 48}
#: stores = {y = 48}
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def first(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gdc_launch_dependents()
    tl.store(x + at, at.to(tl.float32), mask=at < n)


@triton.jit
def second(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gdc_wait()
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = torch.zeros(48, device=device), torch.zeros(48, device=device)
    first[(3,)](x, 48, 16, launch_pdl=True)
    second[(3,)](x, y, 48, 16, launch_pdl=True)
    torch.testing.assert_close(y, torch.arange(48.0, device=device) * 2)
    return y
