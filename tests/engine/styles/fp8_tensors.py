#: style = "fp8 tensors (e4m3 and e5m2) with scales"
#: launches = ["dequantize"]
#: replay = {BLOCK = 256}
#: loads = {q = 300, r = 300, scale = 5}
#: stores = {out = 300}
import torch
import triton
import triton.language as tl


@triton.jit
def dequantize(q, r, scale, out, n, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    s = tl.load(scale + tl.program_id(0) * BLOCK // GROUP)
    a = tl.load(q + i, m, other=0.0).to(tl.float32)
    b = tl.load(r + i, m, other=0.0).to(tl.float32)
    tl.store(out + i, a * s + b, m)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    q = torch.randn(300, device=device).to(torch.float8_e4m3fn)
    r = torch.randn(300, device=device).to(torch.float8_e5m2)
    scale = torch.tensor([2.0, 2.0, 2.0, 2.0, 2.0], device=device)
    out = torch.empty(300, device=device)
    grid = lambda meta: (triton.cdiv(300, meta["BLOCK"]),)
    dequantize[grid](q, r, scale, out, 300, BLOCK=64, GROUP=64)
    torch.testing.assert_close(out, q.float() * 2 + r.float())


if __name__ == "__main__":
    main()
