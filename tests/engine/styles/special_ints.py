#: style = "whole numbers at 1, at a multiple of 16 and beyond 2^31"
#: launches = ["gather_far", "gather_far", "gather_far"]
#: launch = 2
#: replay = {BLOCK = 16}
#: loads = {x = 48}
#: stores = {out = 48}
import torch
import triton
import triton.language as tl


@triton.jit
def gather_far(x, out, n, stride, far, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = i * stride + (far - 3_000_000_000)
    tl.store(out + i, tl.load(x + at, i < n), i < n)


def run(x, n, stride, far):
    out = torch.empty(n, device=x.device)
    gather_far[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, stride, far, BLOCK=32)
    return out


if __name__ == "__main__":
    x = torch.arange(200.0, device="cuda" if torch.cuda.is_available() else "cpu")
    assert torch.equal(run(x, 1, 1, 3_000_000_007), x[7:8])
    assert torch.equal(run(x, 100, 1, 3_000_000_016), x[16:116])
    assert torch.equal(run(x, 48, 3, 3_000_000_001), x[1:145:3])
