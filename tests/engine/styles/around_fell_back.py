#: style = "falls back to torch for the tensors of the host that its driver makes"
#: driver = "example()"
#: findings = ["took the way without a launch at line 19", "`x.is_cuda and n >= 16` was False"]
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, 2 * tl.load(x_ptr + offsets, offsets < n), offsets < n)


def double(x):
    n = x.numel()

    # Small and host tensors are not worth a launch.
    if x.is_cuda and n >= 16:
        y = torch.empty_like(x)
        double_kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
        return y
    return x * 2


def example():
    return double(torch.ones(100))
