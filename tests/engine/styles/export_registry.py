#: style = "kernels in a registry that a decorator fills, settings in a class, a default parameter, a loop over launches"
#: launches = ["double", "add_one"]
#: counts = [5, 5]
#: launch = 1
#: replay = {BLOCK = 16, num_warps = 2}
#: route = "driver"
#: stores = {o_ptr = 50}
import os

os.environ.setdefault("MY_KERNELS_VERBOSE", "0")

import torch
import triton
import triton.language as tl

KERNELS = {}


def register(kernel):
    KERNELS[kernel.fn.__name__] = kernel
    return kernel


class Settings:
    block = 32


@register
@triton.jit
def double(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)


@register
@triton.jit
def add_one(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)


def run(name, x, block=Settings.block):
    out = torch.empty_like(x)
    KERNELS[name][(triton.cdiv(x.numel(), block),)](x, out, x.numel(), BLOCK=block)
    return out


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.zeros(50, device=device)
    for _ in range(5):
        x = run("add_one", run("double", x))
    torch.testing.assert_close(x, torch.full_like(x, 31.0))


if __name__ == "__main__":
    main()
