#: style = "Further drivers: main() without a guard that calls it"
#: driver = "main()"
#: launches = ["negate_kernel"]
#: knobs = {BLOCK = 64}
#: stores = {out_ptr = 200}
import torch
import triton
import triton.language as tl


@triton.jit
def negate_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, -tl.load(x_ptr + offsets, mask=mask), mask=mask)


def main(n=200):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    out = torch.empty_like(x)
    negate_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    torch.testing.assert_close(out, -x)
