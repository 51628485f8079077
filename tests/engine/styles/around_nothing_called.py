#: style = "only defines functions"
#: driver = ""
#: findings = ["launched no Triton kernel: it only defines launch and calls nothing"]
import torch
import triton
import triton.language as tl


@triton.jit
def mark_kernel(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1)


def launch(x: torch.Tensor) -> None:
    mark_kernel[(1,)](x, BLOCK=64)
