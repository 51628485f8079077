#: style = "a float argument that is cast in the kernel; bf16 rounded once a step"
#: launches = ["normalised"]
#: loads = {x = 96, weight = 96}
#: stores = {y = 96}
import torch
import triton
import triton.language as tl


@triton.jit
def normalised(x, weight, y, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + at, mask=at < n, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, 0) / n + eps.to(tl.float32))
    rounded = (value * scale).to(tl.bfloat16)
    factor = tl.load(weight + at, mask=at < n, other=0.0)
    tl.store(y + row * n + at, rounded * factor, mask=at < n)


def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(4, 24, device=device).bfloat16()
    weight = torch.randn(24, device=device).bfloat16()
    y = torch.empty_like(x)
    normalised[(4,)](x, weight, y, 24, 1e-5, BLOCK=32)
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(1, keepdim=True) + 1e-5)
    torch.testing.assert_close(y, (wide * scale).bfloat16() * weight)
    return y
