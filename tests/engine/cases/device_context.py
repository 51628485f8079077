"""The idioms that launchers put around a kernel, on CPU tensors asked for as CUDA ones."""

import torch
import triton
import triton.language as tl

from playground.engine.simulated_cuda import simulated_cuda


@triton.jit
def fill(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 3.0)


def case():
    with simulated_cuda():
        x = torch.empty(4, device="cuda")
        with torch.cuda.device(x.device.index), torch.cuda.stream(torch.cuda.Stream()):
            fill[(1,)](x, 4)
        torch.cuda.synchronize()
        return {"device": str(x.device), "sum": x.cpu().sum().item()}
