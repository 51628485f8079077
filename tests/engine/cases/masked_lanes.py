"""Lanes the mask switches off: a missing or wrong `other` shows when they are poisoned."""

import torch
import triton
import triton.language as tl

from playground.engine.triton_private import interpreter


@triton.jit
def softmax(x, o, n, B: tl.constexpr, MODE: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    m = i < n
    if MODE == 0:
        v = tl.load(x + r * n + i, m)
    elif MODE == 1:
        v = tl.load(x + r * n + i, m, other=0.0)
    else:
        v = tl.load(x + r * n + i, m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + r * n + i, e / tl.sum(e, 0), m)


@triton.jit
def pick(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < 2))


def case():
    x = torch.randn(3, 20) - 5
    x[1] = -float("inf")
    right = x.softmax(1)
    result = {}
    for mode, name in ((0, "no other"), (1, "other=0"), (2, "other=-inf")):
        outputs = []
        for fill in (None, float("nan"), 1e30):
            o = torch.zeros(3, 20)
            if fill is None:
                softmax[(3,)](x, o, 20, 32, mode)
            else:
                with interpreter.masked_fill(fill):
                    softmax[(3,)](x, o, 20, 32, mode)
            outputs.append(o)
        result[name] = {
            "right": torch.allclose(outputs[0], right, atol=1e-5, equal_nan=True),
            "same": all(torch.equal(o.nan_to_num(9), outputs[0].nan_to_num(9)) for o in outputs),
            "nan_rows": outputs[0].isnan().all(1).tolist(),
        }
    for name in ("bfloat16", "float8_e5m2", "float16", "int32", "int8", "bool"):
        dtype = getattr(torch, name)
        o = torch.zeros(4).to(dtype)
        with interpreter.masked_fill(float("nan")):
            pick[(1,)](torch.ones(2).to(dtype), o, 4)
        result[name] = [str(v) for v in o.float().tolist()]
    return result
