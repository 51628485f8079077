#: style = "libdevice through a copy of its module that the file executes by itself"
#: launches = ["inverse_roots"]
#: replay = {BLOCK = 32}
#: loads = {x = 100}
#: stores = {y = 100}
import importlib.util

import torch
import triton
import triton.language as tl


def found_in(module, name):
    spec = importlib.util.find_spec(module)
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return getattr(copy, name)


rsqrt = found_in("triton.language.extra.libdevice", "rsqrt")


@triton.jit
def inverse_roots(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, rsqrt(tl.load(x + i, i < n, other=1.0)), i < n)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(1.0, 101.0, device=device)
    y = torch.empty_like(x)
    inverse_roots[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, y, 100, BLOCK=64)
    torch.testing.assert_close(y, torch.rsqrt(x))
    return y


if __name__ == "__main__":
    main()
