#: style = "a quantisation group that means something: it is no block size, and bound to the data"
#: launches = ["dequantise"]
#: replay = {GROUP = 32}
#: verdict = "wrong"
#: bound = ["GROUP"]
#: findings = ["GROUP seems dictated by the data", "differ from the captured result"]
#: loads = {q = 512, scales = 512}
#: stores = {out = 512}
import torch
import triton
import triton.language as tl

GROUP = 64


@triton.jit
def dequantise(q, scales, out, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scale = tl.load(scales + i // GROUP, i < n)
    tl.store(out + i, tl.load(q + i, i < n).to(tl.float32) * scale, i < n)


def quantised(x):
    groups = x.reshape(-1, GROUP)
    scales = groups.abs().amax(1) / 127
    q = (groups / scales[:, None]).round().to(torch.int8)
    return q.reshape(-1), scales


def dequantised(q, scales):
    out = torch.empty(q.shape, device=q.device)
    grid = lambda meta: (triton.cdiv(q.numel(), meta["BLOCK"]),)
    dequantise[grid](q, scales, out, q.numel(), GROUP=GROUP, BLOCK=128)
    return out


def example(n: int = 512):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    x = torch.randn(n, device=device)
    out = dequantised(*quantised(x))
    torch.testing.assert_close(out, x, atol=0.03, rtol=0)
    return out
