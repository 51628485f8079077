"""Grouped kernels keep `data_ptr()` values in a tensor: those storages belong to the launch."""

import torch
import triton
import triton.language as tl

from playground.engine.triton_private import interpreter


@triton.jit
def scale_all(ptrs, sizes, B: tl.constexpr):
    g = tl.program_id(0)
    p = tl.load(ptrs + g).to(tl.pointer_type(tl.float32))
    n = tl.load(sizes + g)
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i, i < n) * 2, i < n)


@triton.jit
def by_number(address, B: tl.constexpr):
    p = address.to(tl.pointer_type(tl.float32))
    tl.store(p + tl.arange(0, B), 4.0)


def case():
    a, b, c = torch.ones(8), torch.ones(5), torch.ones(16)
    ptrs = torch.tensor([a.data_ptr(), b.data_ptr()])
    scale_all[(2,)](ptrs, torch.tensor([8, 5]), 8)
    result = {"a": a.tolist(), "b": b.tolist(), "clean": len(interpreter.last_out_of_bounds())}
    scale_all[(2,)](ptrs, torch.tensor([8, 7]), 8)  # two elements too many
    result["b again"] = b.tolist()
    result["outside"] = [
        [e.tensor == f"storage at {b.data_ptr():#x}", e.kind, e.distance, e.lanes]
        for e in interpreter.last_out_of_bounds()
    ]
    by_number[(1,)](c.data_ptr(), 16)
    result["c"] = c.tolist()
    return result
