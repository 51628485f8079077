#: style = "a test that skips itself"
#: findings = ["skipped itself: needs eight GPUs"]
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def one_kernel(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)


def test_on_eight_gpus():
    if torch.cuda.device_count() < 8:
        pytest.skip("needs eight GPUs")
    one_kernel[(1,)](torch.empty(16, device="cuda:7"), BLOCK=16)
