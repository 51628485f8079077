"""Doubles rows whose starts come from a table: nothing tells that they are aligned."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def gather_kernel(x_ptr, start_ptr, y_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    start = tl.load(start_ptr + row)
    columns = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + start + columns)
    tl.store(y_ptr + row * WIDTH + columns, x + x)


def inputs(rows):
    x = torch.randint(0, 60, (rows * 4096,), device=DEVICE, dtype=torch.int8)
    start = torch.randperm(rows, device=DEVICE).int() * 4096
    return x, start


def gather(x, start):
    y = torch.empty(start.numel(), 4096, device=x.device, dtype=x.dtype)
    gather_kernel[(start.numel(),)](x, start, y, WIDTH=4096, num_warps=4)
    return y


def example(rows=65536):
    return gather(*inputs(rows))


def reference(rows=65536):
    x, start = inputs(rows)
    return 2 * x.view(rows, 4096)[(start // 4096).long()]
