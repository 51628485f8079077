"""A product of many small matrices, written as a sum of products."""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def small_kernel(a_ptr, b_ptr, c_ptr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tile = i[:, None] * SIZE + i[None, :]
    start = tl.program_id(0) * SIZE * SIZE
    a = tl.load(a_ptr + start + tile)
    b = tl.load(b_ptr + start + tile)
    c = tl.sum(a[:, :, None] * b[None, :, :], axis=1, dtype=tl.float32)
    tl.store(c_ptr + start + tile, c.to(tl.float16))


def inputs(count):
    return (
        torch.rand(count, 32, 32, device=DEVICE).half(),
        torch.rand(count, 32, 32, device=DEVICE).half(),
    )


def products(a, b):
    c = torch.empty_like(a)
    small_kernel[(a.shape[0],)](a, b, c, SIZE=32, num_warps=4)
    return c


def example(count=16384):
    return products(*inputs(count))


def reference(count=16384):
    a, b = inputs(count)
    return a @ b
