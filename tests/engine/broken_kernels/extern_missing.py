#: kind = "an external function that does not exist"
#: line = 23
#: stages = ["ttir", "ttgir", "llir", "ptx"]
#: message = ["finds no function __nv_missing"]
#: hint = ["libdevice", "extern_libs"]
import torch
import triton
import triton.language as tl
from triton.language import core


@core.extern
def missing(v, _semantic=None):
    return core.extern_elementwise(
        "", "", [v], {(core.dtype("fp32"),): ("__nv_missing", core.dtype("fp32"))},
        is_pure=True, _semantic=_semantic,
    )


@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = missing(tl.load(x + i))
    tl.store(x + i, v)


def example():
    k[(1,)](torch.zeros(1024), 3, 32)
