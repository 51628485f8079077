#: style = "No driver at all: lists of tensors and of numbers, words, a dimension counted from behind"
#: launches = ["sum_kernel"]
#: stores = {out_ptr = 64}
from typing import List

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, y_ptr, out_ptr, n_cols, low, high, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = (cols < n_cols) & (cols >= low) & (cols < high)
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    y = tl.load(y_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(out_ptr + row, tl.sum(x + y, axis=0))


def sum_of(tensors: List[torch.Tensor], section: list[int], dim: int, reduction: str):
    x, y = tensors[0], tensors[-1]
    if dim < 0:
        dim += x.dim()
    x, y = x.transpose(dim, -1).contiguous(), y.transpose(dim, -1).contiguous()
    rows, n_cols = x.shape
    out = torch.empty(rows, device=x.device)
    sum_kernel[(rows,)](
        x, y, out, n_cols, section[0] - 64, section[1], BLOCK=triton.next_power_of_2(n_cols)
    )
    if reduction == "mean":
        return out.mean()
    elif reduction == "sum":
        return out.sum()
    raise ValueError(reduction)
