#: style = "the same tensor passed several times, one of them the output"
#: launches = ["fma"]
#: replay = {BLOCK = 32}
#: loads = {a = 300}
#: stores = {out = 100}
import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def fma(a, b, c, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(a + i, m) * tl.load(b + i, m) + tl.load(c + i, m), m)


if __name__ == "__main__":
    x = torch.linspace(-1, 1, 100, device=DEVICE)
    want = x * x + x
    fma[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, x, x, x, 100, BLOCK=64)
    torch.testing.assert_close(x, want)
