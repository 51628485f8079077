#: style = "takes TRITON_INTERPRET away before its kernels are made"
#: driver = ""
#: launches = ["scaled_kernel"]
#: replay = {BLOCK = 128}
#: findings = ["TRITON_INTERPRET is left to this app"]
#: stores = {out_ptr = 700}
import os

os.environ.pop("TRITON_INTERPRET", None)
import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def scaled_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < n, other=0.0)
    tl.store(out_ptr + offsets, twice(x) - tl.max(x * 0, 0), offsets < n)


def scaled(x):
    out = torch.empty_like(x)
    scaled_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](
        x, out, x.numel(), BLOCK=256
    )
    return out


x = torch.linspace(0, 1, 700, device=DEVICE)
assert torch.allclose(scaled(x), x * 2)
