"""Kernels written otherwise, which no GPU has judged yet: right at ragged sizes, interpreted."""

from __future__ import annotations

from tests.engine.conftest import RunEngine

CODE = """
from tests.benchmarks.kernel_variants import attention, wrong

found = {}
for row in attention(True, 64, True):
    for name in list(row.others)[:1]:
        found[f"{row.title}: {name}"] = wrong(row, row.others[name])
answer(found)
"""


def test_attention_written_otherwise_is_right(run_engine: RunEngine) -> None:
    found = run_engine(CODE)
    assert len(found) == 2
    assert set(found.values()) == {""}, found
