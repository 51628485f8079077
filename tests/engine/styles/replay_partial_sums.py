#: style = "partial results summed by the host afterwards"
#: driver = "main()"
#: launches = ["dot_parts"]
#: replay = {BLOCK = 64}
#: route = "driver"
#: loads = {x = 1000, y = 1000}
#: stores = {parts = 4}
import torch
import triton
import triton.language as tl

MOST_PARTS = 64


@triton.jit
def dot_parts(x, y, parts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i, i < n, other=0.0), tl.load(y + i, i < n, other=0.0)
    tl.store(parts + tl.program_id(0), tl.sum(a * b))


def dot(x, y, BLOCK=256):
    n = x.numel()
    parts = torch.zeros(MOST_PARTS, device=x.device)
    dot_parts[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, parts, n, BLOCK=BLOCK)
    return parts[: triton.cdiv(n, BLOCK)].sum()


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = torch.randn(1000, device=device), torch.randn(1000, device=device)
    torch.testing.assert_close(dot(x, y), (x * y).sum())
