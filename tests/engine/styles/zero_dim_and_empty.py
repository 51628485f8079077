#: style = "a 0-d tensor, a one-element tensor and an empty one among the arguments"
#: launches = ["scale"]
#: replay = {BLOCK = 16}
#: loads = {x = 70, alpha = 3, beta = 3}
#: stores = {out = 70}
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, alpha, beta, bias, out, n, n_bias, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x + i, i < n) * tl.load(alpha) + tl.load(beta)
    y += tl.load(bias + i, i < n_bias, other=0.0)
    tl.store(out + i, y, i < n)


def scaled(x, alpha, beta, bias):
    out = torch.empty_like(x)
    n = x.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    scale[grid](x, alpha, beta, bias, out, n, bias.numel(), BLOCK=32)
    return out


def example(n: int = 70):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    alpha = torch.tensor(2.0, device=device)
    beta = torch.ones(1, device=device)
    return scaled(x, alpha, beta, torch.empty(0, device=device)), x


def reference(n: int = 70):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    return 2 * x + 1, x
