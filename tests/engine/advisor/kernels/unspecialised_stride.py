"""Doubles rows of bytes whose stride the kernel is told not to look at."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit(do_not_specialize=["stride"])
def rows_kernel(x_ptr, y_ptr, stride, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * stride + columns)
    tl.store(y_ptr + row * WIDTH + columns, x + 1)


def inputs(rows):
    return torch.randint(0, 100, (rows, 4096), device=DEVICE, dtype=torch.int8)


def plus_one(x):
    y = torch.empty_like(x)
    rows_kernel[(x.shape[0],)](x, y, x.stride(0), WIDTH=4096, num_warps=4)
    return y


def example(rows=65536):
    return plus_one(inputs(rows))


def reference(rows=65536):
    return inputs(rows) + 1
