#: style = "Drivers at import: module-level launches without a __main__ guard"
#: launches = ["double_kernel"]
#: knobs = {BLOCK = 64}
#: stores = {out_ptr = 150}
import torch
import triton
import triton.language as tl


def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=mask), mask=mask)


kernel = triton.jit(double_kernel)

x = torch.arange(150, dtype=torch.float32, device="cuda")
out = torch.empty_like(x)
kernel[(3,)](x, out, 150, BLOCK=64)
torch.testing.assert_close(out, 2 * x)
