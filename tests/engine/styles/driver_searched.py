#: style = "No driver at all: what the launcher asks for shows only when it runs, and the driver is changed until it does"
#: launches = ["pick_kernel"]
#: stores = {out_ptr = 64}
from dataclasses import dataclass

import torch
import triton
import triton.language as tl


@dataclass(frozen=True)
class Limits:
    scale: float
    shift: float = 0.0


SUPPORTED = {torch.float16: "half", torch.bfloat16: "brain"}


@triton.jit
def pick_kernel(x_ptr, targets_ptr, out_ptr, stride, scale, shift):
    row = tl.program_id(0)
    target = tl.load(targets_ptr + row)
    tl.store(out_ptr + row, tl.load(x_ptr + row * stride + target) * scale + shift)


def checked(x):
    return SUPPORTED[x.dtype]


def pick(e, targets, limits):
    """The element of each row that a target names."""
    assert e.size()[:-1] == targets.size()
    checked(e)
    out = torch.empty(targets.numel(), dtype=torch.float32, device=e.device)
    pick_kernel[(targets.numel(),)](e, targets, out, e.stride(0), limits.scale, limits.shift)
    return out
