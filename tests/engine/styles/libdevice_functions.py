#: style = "extern libdevice functions"
#: launches = ["asinh_pow"]
#: replay = {BLOCK = 128}
#: loads = {x = 500}
#: stores = {y = 500}
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def asinh_pow(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    tl.store(y + i, libdevice.asinh(v) + libdevice.pow(libdevice.abs(v), 1.5) * libdevice.tanh(v), i < n)


def example(n: int = 500):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    y = torch.empty_like(x)
    asinh_pow[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n, BLOCK=256)
    return y


def reference(n: int = 500):
    x = torch.randn(n, device="cuda" if torch.cuda.is_available() else "cpu").double()
    return torch.asinh(x) + x.abs() ** 1.5 * torch.tanh(x)
