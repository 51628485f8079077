"""Slips that a launch shows: told before anything about speed, with what to write."""

from __future__ import annotations

import pytest

from playground.engine.machine import has_nvidia_gpu
from tests.engine.conftest import RunEngine

CODE = '''
from playground.engine.session import Session

HEAD = """
import torch
import triton
import triton.language as tl

"""
FILES = {
    "no_mask": """
@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(y_ptr + offsets, x, mask=offsets < n)

def example(n=100):
    x = torch.rand(n)
    y = torch.empty_like(x)
    k[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y
""",
    "k_loop": """
@triton.jit
def k(x_ptr, y_ptr, K, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, K, BLOCK):
        total += tl.load(x_ptr + start + tl.arange(0, BLOCK))
    tl.store(y_ptr, tl.sum(total, 0))

def example(n=100):
    x, y = torch.rand(n), torch.empty(1)
    k[(1,)](x, y, n, BLOCK=64)
    return y
""",
    "tf32": """
@triton.jit
def k(a_ptr, c_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tile = i[:, None] * B + i[None, :]
    a = tl.load(a_ptr + tile)
    tl.store(c_ptr + tile, tl.dot(a, a))

def example():
    a = torch.rand(16, 16)
    c = torch.empty_like(a)
    k[(1,)](a, c, B=16)
    return c
""",
    "in_place": """
@triton.autotune(configs=[triton.Config({"B": 32}), triton.Config({"B": 64})], key=["n"])
@triton.jit
def k(x_ptr, n, B: tl.constexpr):
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x + 1, mask=offsets < n)

def example(n=64):
    x = torch.rand(n)
    k[lambda meta: (triton.cdiv(n, meta["B"]),)](x, n)
    return x
""",
}
session = Session()
found = {}
for name, text in FILES.items():
    path = write(name + ".py", HEAD + text)
    session.load(path)
    session.run()
    advisory = session.advise()
    first = advisory.first
    edits = [edit.after for attempt in first.tries for edit in attempt.edits] if first else []
    found[name] = [first.cause, first.topic, first.line, first.remedy, edits]
session.close()
answer(found)
'''


@pytest.fixture
def told(run_engine: RunEngine) -> dict:
    return run_engine(CODE)


@pytest.mark.skipif(has_nvidia_gpu(), reason="reads past tensors on purpose")
def test_each_slip_comes_first_with_what_to_write(told: dict) -> None:
    assert {name: item[0] for name, item in told.items()} == {
        "no_mask": "no-mask", "k_loop": "loop-without-mask", "tf32": "tf32-default",
        "in_place": "tuned-in-place",
    }  # fmt: skip
    assert all(item[1] == "slips" and item[2] and item[3] for item in told.values())
    # The mask of the store fits the load beside it.
    assert told["no_mask"][4] == [["    x = tl.load(x_ptr + offsets, mask=offsets < n)"]]
    assert told["no_mask"][2] == 10
    assert "mask=k < K - step * BLOCK_K" in told["k_loop"][3]
    assert "tf32x3" in told["tf32"][4][0][0]
    assert "restore_value" in told["in_place"][3]
