#: style = "holds pytest tests with parameters and a fixture, and no other driver"
#: launches = ["shift_kernel"]
#: replay = {BLOCK = 64}
#: route = "driver"
#: stores = {y_ptr = 100}
import pytest
import torch
import triton
import triton.language as tl

if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)


@triton.jit
def shift_kernel(x_ptr, y_ptr, n, amount, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets + amount, offsets + amount < n, other=0)
    tl.store(y_ptr + offsets, x, offsets < n)


def shift(x, amount):
    y = torch.empty_like(x)
    shift_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), amount, BLOCK=128)
    return y


@pytest.fixture
def device():
    yield "cuda"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("n, amount", [(100, 1), (2**20, 3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_shift(n, amount, dtype, device):
    x = torch.arange(n, device=device).to(dtype)
    y = shift(x, amount)
    assert torch.equal(y[:-amount], x[amount:])
    assert not y[-amount:].any()
