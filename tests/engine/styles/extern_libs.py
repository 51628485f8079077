#: style = "extern_libs= with the path of a bitcode library"
#: launches = ["cbrt"]
#: replay = {BLOCK = 128}
#: loads = {x = 300}
#: stores = {y = 300}
from pathlib import Path

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

LIBDEVICE = Path(triton.__file__).parent / "backends" / "nvidia" / "lib" / "libdevice.10.bc"


@triton.jit
def cbrt(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, libdevice.cbrt(tl.load(x + i, i < n)), i < n)


if __name__ == "__main__":
    x = torch.linspace(0.1, 8.0, 300, device="cuda" if torch.cuda.is_available() else "cpu")
    y = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(300, meta["BLOCK"]),)
    cbrt[grid](x, y, 300, BLOCK=64, extern_libs={"libdevice": str(LIBDEVICE)})
    torch.testing.assert_close(y, x ** (1 / 3), rtol=1e-5, atol=1e-5)
