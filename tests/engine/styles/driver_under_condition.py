#: style = "No driver at all: kernel and launcher under a condition, a stand-in under its else"
#: launches = ["scale_kernel"]
import importlib.util

import torch

HAS_TRITON = importlib.util.find_spec("triton") is not None

if HAS_TRITON:
    import triton
    import triton.language as tl

    @triton.jit
    def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)

    def scale(x: torch.Tensor) -> torch.Tensor:
        assert x.ndim == 3, "three dimensions"
        out = torch.empty_like(x)
        n = x.numel()
        scale_kernel[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
        return out
else:

    def scale(x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("needs triton")
