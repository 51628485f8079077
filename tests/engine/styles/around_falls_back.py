#: style = "falls back to torch silently when tensors are not on CUDA"
#: driver = "example()"
#: launches = ["relu_kernel"]
#: replay = {BLOCK = 32}
#: route = "driver"
#: findings = ["the GPU is simulated"]
#: gpu_findings = []
#: stores = {y_ptr = 300}
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < n, other=0.0)
    tl.store(y_ptr + offsets, tl.maximum(x, 0.0), offsets < n)


def relu(x):
    if not x.is_cuda:
        return torch.relu(x)
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    relu_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


def example():
    x = torch.randn(300).cuda()
    y = relu(x)
    torch.testing.assert_close(y, torch.relu(x))
    return y
