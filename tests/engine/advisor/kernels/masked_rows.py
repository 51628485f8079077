"""Adds one to each row of a matrix with a block far wider than a row."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def rows_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + columns, mask=columns < N, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * N + columns, e / tl.sum(e, 0), mask=columns < N)


def rows(x):
    y = torch.empty_like(x)
    rows_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=8192, num_warps=4)
    return y


def example(m=65536, n=500):
    return rows(torch.rand(m, n, device=DEVICE))


def reference(m=65536, n=500):
    return torch.softmax(torch.rand(m, n, device=DEVICE), -1)
