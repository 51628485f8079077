"""What `kernel[grid](...)` and `kernel.warmup(...)` return when interpreted."""

from types import SimpleNamespace

import torch
import triton
import triton.language as tl

from playground.engine.triton_private import interpreter
from playground.model.compiling import CompileReport
from playground.model.config import Config


@triton.jit
def add(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)


def case():
    x, o = torch.ones(64), torch.zeros(64)
    launched = add[(1,)](x, o, 64, B=64, num_warps=2)
    result = {"has": hasattr(launched, "n_regs")}
    try:
        launched.n_regs  # noqa: B018
    except AttributeError as error:
        result["message"] = str(error)
    warmed = add.warmup(x, o, 64, B=64, grid=(1,))
    o.zero_()
    warmed._init_handles()
    warmed[(1,)](x, o, 64)
    result["relaunched"] = o.sum().item()
    warmed[(1, 1, 1)](x, o, 64, 64)
    asked = []

    def lookup(function, arguments, options):
        asked.append([function.__name__, sorted(arguments), options])
        report = CompileReport(
            0, Config(), "cuda:90", "add",
            24, 8, 0, 1024, 232448, 64, True, (), 1.0, False, ("ptx",),
        )  # fmt: skip
        return SimpleNamespace(report=report, findings=(), asm={"ptx": "// ptx"})

    interpreter.set_compiled_lookup(lookup)
    result |= {
        "figures": [launched.n_regs, launched.n_spills, launched.metadata.shared],
        "warps": launched.metadata.num_warps,
        "ptx": launched.asm["ptx"],
        "asked": asked,
    }
    interpreter.set_compiled_lookup(None)
    return result
