#: style = "a block size written into the kernel itself: a constant, and no knob at all"
#: launches = ["square"]
#: replay = {num_warps = 2, num_stages = 1}
#: knobs = {num_warps = 4}
#: loads = {x = 300}
#: stores = {out = 300}
import torch
import triton
import triton.language as tl


@triton.jit
def square(x, out, n):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    v = tl.load(x + i, i < n)
    tl.store(out + i, v * v, i < n)


def squared(x):
    out = torch.empty_like(x)
    square[((x.numel() + 127) // 128,)](x, out, x.numel())
    return out


def example(n: int = 300):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(n, device=device)
    out = squared(x)
    torch.testing.assert_close(out, x * x)
    return out
