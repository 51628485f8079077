"""libdevice functions, bound by module and by name as kernel files do."""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda.libdevice import rint as cuda_rint
from triton.language.extra.libdevice import erf, tanh


@triton.jit
def gelu(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o + i, 0.5 * v * (1 + tanh(0.7978845608 * (v + 0.044715 * v * v * v))))
    tl.store(o + B + i, erf(v))
    tl.store(o + 2 * B + i, cuda_rint(v))
    tl.store(o + 3 * B + i, libdevice.pow(tl.abs(v), 1.5))
    tl.store(o + 4 * B + i, libdevice.isnan(v).to(tl.float32))
    tl.store(o + 5 * B + i, libdevice.round(v))


@triton.jit
def missing(x):
    tl.store(x, libdevice.add_ru(tl.load(x), tl.load(x)))


def case():
    x = torch.cat([torch.randn(60) * 2, torch.tensor([0.5, -0.5, 2.5, float("nan")])])
    o = torch.zeros(6, 64)
    gelu[(1,)](x, o, 64)
    away = torch.sign(x) * torch.floor(x.abs() + 0.5)
    want = [
        torch.nn.functional.gelu(x, approximate="tanh"),
        torch.erf(x),
        torch.round(x),
        x.abs() ** 1.5,
        x.isnan().float(),
        away,
    ]
    close = [torch.allclose(a, b, atol=1e-6, equal_nan=True) for a, b in zip(o, want, strict=True)]
    try:
        missing[(1,)](x)
    except Exception as error:
        return {"close": close, "missing": [type(error.__cause__).__name__, str(error.__cause__)]}
