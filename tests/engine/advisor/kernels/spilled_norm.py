"""Layer norm of long rows with too few registers allowed."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def norm_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    x = tl.load(x_ptr + row * N + columns, mask=inside, other=0.0)
    mean = tl.sum(x, 0) / N
    centred = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / N + 1e-5)
    tl.store(y_ptr + row * N + columns, centred * scale, mask=inside)


def norm(x):
    y = torch.empty_like(x)
    norm_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=16384, num_warps=8, maxnreg=32)
    return y


def example(m=8192, n=16384):
    return norm(torch.rand(m, n, device=DEVICE))


def reference(m=8192, n=16384):
    return torch.nn.functional.layer_norm(torch.rand(m, n, device=DEVICE), (n,))
