"""The first uses of a GPU in a process, done before anybody waits for them.

CUDA makes its context, loads each kernel of torch and makes cuBLAS's handle when it is first asked;
Triton builds its helpers. None of that depends on the file.
"""

from __future__ import annotations

import torch

_SIDE = 64


def use_first() -> None:
    """Use what checking and timing use, on a few elements; raises what CUDA raises."""
    import triton

    # Builds or loads Triton's own helpers for the driver, and asks for the target.
    triton.runtime.driver.active.get_current_target()
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        drawn = torch.randn(_SIDE, _SIDE, device="cuda").to(kind)
        want = (drawn.double() @ drawn.double()).to(kind)
        off = ((drawn @ drawn).float() - want.float()).abs_()
        limit = want.float().abs() * 1e-2 + want.double().square().mean().sqrt().float()
        bool(torch.stack([~(off <= limit).all(), ~want.isfinite().all()]).any())
        drawn.clone().copy_(want).fill_(float("nan"))
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    end.record()
    torch.cuda.synchronize()
    begin.elapsed_time(end)
