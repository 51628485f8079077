#: style = "one storage seen as two dtypes: tensor.view(dtype), and triton.reinterpret for an fp8 format"
#: launches = ["absolute", "widen"]
#: replay = {BLOCK = 64}
#: loads = {bits = 200}
#: stores = {bits = 200}
import torch
import triton
import triton.language as tl


@triton.jit
def absolute(bits, floats, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(bits + i, tl.load(bits + i, i < n) & 0x7FFFFFFF, i < n)


@triton.jit
def widen(q, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(q + i, i < n).to(tl.float32), i < n)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.linspace(-2, 2, 200, device=device)
    want = x.abs()
    grid = lambda meta: (triton.cdiv(200, meta["BLOCK"]),)
    absolute[grid](x.view(torch.int32), x, 200, BLOCK=32)
    assert torch.equal(x, want)
    raw = torch.arange(120, dtype=torch.uint8, device=device)  # all finite
    out = torch.empty(120, device=device)
    widen[grid](triton.reinterpret(raw, tl.float8e5), out, 120, BLOCK=128)
    assert torch.equal(out, raw.view(torch.float8_e5m2).float())
