"""Triton's cache on disk, which the engine shares: what is found there is of the file asked for."""

from __future__ import annotations

from tests.engine.conftest import RunEngine

CODE = '''
from playground.engine.session import Session

TEXT = """
import torch
import triton
import triton.language as tl

@triton.jit
def k(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x + 1, mask=offsets < n)

def example(n=100):
    x = torch.zeros(n)
    k[(triton.cdiv(n, 64),)](x, n, BLOCK=64)
    return x
"""
session = Session()
found = {}
for name in ("one.py", "a_copy.py", "one.py"):
    session.load(write(name, TEXT))
    session.run()
    report = session.compile(0, target="cuda:90").report
    lines = [item.line for item in session.code(0, target="cuda:90").lines]
    found.setdefault(name, []).append([report.cache_hit, lines])
session.close()
answer(found)
'''


def test_a_copy_of_a_file_has_machine_code_by_its_own_lines(run_engine: RunEngine) -> None:
    found = run_engine(CODE)
    (first, again), (copy,) = found["one.py"], found["a_copy.py"]
    assert {8, 9, 10} <= {*first[1]}
    assert copy[1] == again[1] == first[1]
    assert again[0]  # the same file: found on disk
