#: style = "a pytest function that reaches its kernel through another name of Function.apply"
#: driver = "test_half(rows=3, columns=40)"
#: launches = ["half_kernel"]
#: route = "driver"
#: replay = {BLOCK = 128}
#: loads = {x = 120}
#: stores = {out = 120}
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def half_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * 0.5, i < n)


class _half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = torch.empty_like(x)
        half_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
        return out

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 0.5


half = _half.apply


@pytest.fixture
def device():
    return "cuda"


@pytest.mark.parametrize("rows", [3, 5])
@pytest.mark.parametrize("columns", [40, 70])
def test_half(rows, columns, device):
    x = torch.linspace(0, 1, rows * columns, device=device).reshape(rows, columns)
    torch.testing.assert_close(half(x), x / 2)
