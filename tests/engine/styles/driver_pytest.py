#: style = "Further drivers: a pytest test with the first value of each parametrize"
#: launches = ["clamp_kernel"]
#: replay = {BLOCK = 64}
#: knobs = {BLOCK = 32}
#: stores = {out_ptr = 98}
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def clamp_kernel(x_ptr, out_ptr, n, low, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.maximum(x, low), mask=mask)


def clamp(x, low):
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
    clamp_kernel[grid](x, out, x.numel(), low, BLOCK=32)
    return out


@pytest.mark.parametrize("size, low", [(98, -0.25), (1823, 0.5)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_clamp(size, low, dtype):
    torch.manual_seed(0)
    x = torch.randn(size, dtype=dtype, device="cuda")
    torch.testing.assert_close(clamp(x, low), x.clamp(min=low))
