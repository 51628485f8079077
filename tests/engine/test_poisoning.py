"""Fresh memory holds a pattern that no kernel writes by chance."""

from __future__ import annotations

import pytest
import torch

from playground.engine.poisoning import fill_dense, poison, poisoned_memory


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e5m2]
)
def test_fresh_floats_are_not_a_number(dtype):
    with poisoned_memory():
        assert torch.empty(7, dtype=dtype).float().isnan().all()


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64])
def test_fresh_integers_are_filled_with_one_byte(dtype):
    with poisoned_memory():
        fresh = torch.empty(5, dtype=dtype)
    assert set(fresh.view(torch.uint8).tolist()) == {0x7F}


@pytest.mark.parametrize(
    "dtype",
    [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.uint8,
     torch.int16, torch.int32, torch.int64],
)  # fmt: skip
def test_one_operation_fills_as_bytes_do(dtype):
    # What is done on a GPU, on the CPU: the same bytes for integers, NaN for floats.
    one, other = torch.zeros(6, dtype=dtype), torch.zeros(6, dtype=dtype)
    fill_dense(one)
    poison(other)
    assert torch.equal(one, other) or (one.isnan().all() and other.isnan().all())


def test_a_leaf_that_wants_a_gradient_is_filled_too():
    with poisoned_memory():
        assert torch.empty(3, requires_grad=True).isnan().all()
    leaf = torch.zeros(3, requires_grad=True)
    fill_dense(leaf)
    assert leaf.isnan().all()


def test_memory_that_no_kernel_on_a_gpu_reaches_is_left_alone():
    with poisoned_memory(host=False):
        # The meta device stands for any that is not the CPU: nothing fails there.
        assert torch.empty(4, device="meta").device.type == "meta"
        fresh = torch.empty(1 << 16, dtype=torch.int16)
        with poisoned_memory():
            assert (torch.empty(8, dtype=torch.int8) == 0x7F).all()
        assert torch.empty(1 << 16, dtype=torch.int16).ne(0x7F7F).any()
    assert fresh.ne(0x7F7F).any()
    with poisoned_memory():
        assert torch.empty(7).isnan().all()
