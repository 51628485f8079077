"""What is written beside a replay's copies is found, and where; inside of them nothing is."""

from __future__ import annotations

import pytest
import torch

from playground.engine.guards import GUARD_BYTES, GuardedCopy, Overrun, overrun_finding

FLOATS = 100


def written(copy: GuardedCopy, first: int, count: int) -> None:
    """Write floats beside or into a copy, counted from its first element."""
    storage = copy.base.untyped_storage()
    everything = torch.empty(0, dtype=torch.uint8).set_(storage)
    start = copy.base.storage_offset() + 4 * first
    everything[start : start + 4 * count].fill_(1)


@pytest.mark.parametrize("shift", [0, 16, 500])
def test_a_copy_is_aligned_as_the_original(shift: int) -> None:
    memory = torch.zeros(4096, dtype=torch.uint8)
    live = memory[shift : shift + 4 * FLOATS]
    copy = GuardedCopy(live)
    assert copy.base.numel() == 4 * FLOATS
    assert copy.base.data_ptr() % 512 == live.data_ptr() % 512
    assert copy.overrun() is None


@pytest.mark.parametrize(
    ("first", "count", "found"),
    [
        (0, FLOATS, None),
        (FLOATS - 4, 16, Overrun(48, 0)),
        (FLOATS + 3, 2, Overrun(8, 12)),
        (-5, 2, Overrun(8, -13)),
        (-8, 8, Overrun(32, -1)),
        (FLOATS + GUARD_BYTES // 4 - 1, 1, Overrun(4, GUARD_BYTES - 4)),
        (-GUARD_BYTES // 4, 1, Overrun(4, -GUARD_BYTES + 3)),
    ],
)
def test_what_lies_beside_is_found(first: int, count: int, found: Overrun | None) -> None:
    copy = GuardedCopy(torch.zeros(4 * FLOATS, dtype=torch.uint8))
    written(copy, first, count)
    assert copy.overrun() == found
    assert copy.overrun() is None  # told once


@pytest.mark.parametrize(
    ("overrun", "said"),
    [
        (Overrun(48, 0), "wrote outside of o: 12 elements, the first 1 past its end"),
        (Overrun(8, 12), "wrote outside of o: 2 elements, the first 4 past its end"),
        (Overrun(8, -13), "wrote outside of o: 2 elements, the nearest 4 before its start"),
        (Overrun(32, -1), "wrote outside of o: 8 elements, the nearest 1 before its start"),
    ],
)
def test_it_is_told_in_elements(overrun: Overrun, said: str) -> None:
    finding = overrun_finding("copy", "o", 4, overrun, "k.py", 7)
    assert said in finding.message
    assert (finding.severity, finding.line) == ("error", 7)
    assert "mask" in finding.hint


KERNEL = """
from playground.engine.session import Session
play = Session()
play.load(write("k.py", '''
import torch, triton, triton.language as tl
@triton.jit
def copy(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i))
def example():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    big = torch.full((64,), -7.0, device=device)
    x, o = torch.arange(20.0, device=device), big[:20]
    o.zero_()
    copy[(2,)](x, o, B=16)
    return o
'''))
play.run()
"""


def test_in_the_interpreter_no_store_leaves_a_tensor(run_engine) -> None:
    got = run_engine(
        KERNEL
        + """
from playground.engine.coverage_findings import coverage_findings
checked = play.check(0)
prepared = play.prepare(0)
prepared.run()
alone = [finding.message for finding in prepared.overruns()]
base = prepared.arguments["x"]
reach = base.as_strided((24,), (1,), base.storage_offset())
reach[20:] = 1.0  # as a GPU would do
counted = play.coverage(0)
answer({
    "alone": alone,
    "driven": [finding.message for finding in prepared.overruns()],
    "told": [[f.severity, f.line, f.message] for f in coverage_findings("copy", counted)],
    "result": play.result.tolist(),
})
"""
    )
    assert got["alone"] == []
    assert got["driven"] == ["copy wrote outside of x: 4 elements, the first 1 past its end"]
    assert got["result"] == [float(i) for i in range(20)]
    # 32 lanes over 20 elements of x, which end there: 12 loads go beyond.
    errors = [item for item in got["told"] if item[0] == "error"]
    assert any("load outside x: 12 lanes" in message for _, _, message in errors)


def test_what_is_copied_from_beside_one_tensor_to_beside_another_is_found() -> None:
    source, target = (GuardedCopy(torch.zeros(4 * FLOATS, dtype=torch.uint8)) for _ in range(2))
    everything, places = [], []
    for copy in (source, target):
        everything.append(torch.empty(0, dtype=torch.uint8).set_(copy.base.untyped_storage()))
        places.append(copy.base.storage_offset() + 4 * FLOATS)
    everything[1][places[1] : places[1] + 48] = everything[0][places[0] : places[0] + 48]
    assert source.overrun() is None
    assert target.overrun() == Overrun(48, 0)
