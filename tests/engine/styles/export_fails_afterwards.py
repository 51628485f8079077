#: style = "the driver fails after the launch: the export is checked as far as that"
#: launches = ["flags"]
#: replay = {num_warps = 2}
#: findings = ["IndexError"]
#: stores = {out = 50}
import torch
import triton
import triton.language as tl


@triton.jit
def flags(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) > 0.5, i < n)


def chosen(x):
    out = torch.empty_like(x)
    flags[(1,)](x, out, x.numel(), BLOCK=64)
    return x[out]


if __name__ == "__main__":
    chosen(torch.linspace(0, 1, 50, device="cuda"))
