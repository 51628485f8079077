#: style = "None for an optional tensor"
#: launches = ["linear", "linear"]
#: launch = 0
#: replay = {BLOCK = 32}
#: loads = {x = 99, weight = 99}
#: stores = {out = 99}
import torch
import triton
import triton.language as tl


@triton.jit
def linear(x, weight, bias, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x + i, i < n) * tl.load(weight + i, i < n)
    if bias is not None:
        y += tl.load(bias + i, i < n)
    tl.store(out + i, y, i < n)


def affine(x, weight, bias=None):
    out = torch.empty_like(x)
    n = x.numel()
    linear[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, weight, bias, out, n, BLOCK=64)
    return out


def example(n: int = 99):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, w, b = torch.randn(3, n, device=device)
    return affine(x, w), affine(x, w, b)


def reference(n: int = 99):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, w, b = torch.randn(3, n, device=device)
    return x * w, x * w + b
