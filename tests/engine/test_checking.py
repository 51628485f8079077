"""Right values pass, wrong ones are counted and found; NaN is right only where it is wanted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from playground.engine import checking


def test_mismatches_are_counted_and_the_first_is_named() -> None:
    want = torch.ones(4, 5)
    got = want.clone()
    got[2, 3] += 0.5
    got[3, 1] -= 0.25
    found = checking.compare("o", got, want, 1e-5, 0.0)
    assert (found.mismatches, found.elements, found.first_index) == (2, 20, (2, 3))
    assert found.max_abs_error == pytest.approx(0.5)
    assert found.tolerance == pytest.approx(1e-5)
    verdict = checking.verdict([found], "captured")
    assert verdict.text() == (
        "wrong: 2 of 20 elements of o differ from the captured result, first at [2, 3]"
    )


def test_nan_and_infinity_are_right_only_where_wanted() -> None:
    nan, inf = float("nan"), float("inf")
    want = torch.tensor([nan, inf, -inf, 1.0, 1.0, inf])
    same = checking.compare("o", want.clone(), want, 1e-5, 1e-5)
    assert same.mismatches == 0
    got = torch.tensor([0.0, -inf, -inf, nan, inf, 3.0])
    found = checking.compare("o", got, want, 1e-5, 1e-5)
    assert found.mismatches == 5
    assert found.first_index == (0,)


def test_integers_are_exact_and_shapes_may_be_flattened() -> None:
    want = torch.tensor([[1, 2], [3, 2**40]])
    found = checking.compare("o", torch.tensor([1, 2, 3, 2**40 + 1]), want, 1.0, 1.0)
    assert (found.mismatches, found.first_index, found.max_abs_error) == (1, (3,), 1.0)
    assert checking.compare("o", want.to(torch.int32), want, 0, 0).mismatches == 1
    assert checking.compare("o", torch.zeros(3), torch.zeros(4), 1, 1).mismatches == 3
    assert checking.compare("o", torch.tensor([True]), torch.tensor([True]), 0, 0).mismatches == 0
    complex_ = torch.tensor([1 + 2j, 3 - 1j])
    assert checking.compare("o", complex_, complex_.conj(), 1e-5, 0).mismatches == 2


def test_pieces_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_CHUNK", 7)
    want = torch.linspace(-1, 1, 50, dtype=torch.float64)
    got = want.clone()
    got[[20, 41]] += 1
    found = checking.compare("o", got, want, 0.0, 1e-3)
    assert (found.mismatches, found.first_index) == (2, (20,))
    scale = float(np.sqrt(np.mean(want.numpy() ** 2)))
    assert found.tolerance == pytest.approx(1e-3 * scale)


def test_a_row_larger_than_the_rest_is_judged_by_its_own_size() -> None:
    want = torch.full((200, 4), 0.01)
    want[0] = torch.tensor([1.0, -1.0, 1.0, 0.001])  # two terms that nearly cancelled, at the end
    got = want.clone()
    got[0, 3] += 4e-4
    assert checking.compare("o", got, want, 1e-3, 1e-3).mismatches == 0
    got = want.clone()
    got[7, 3] += 4e-4  # as far off in a row of small values is wrong
    assert checking.compare("o", got, want, 1e-3, 1e-3).mismatches == 1


def test_results_and_references_are_paired() -> None:
    a, b = torch.zeros(1), torch.ones(1)

    def labels(got: Any, want: Any) -> list[str]:
        return [item.label for item in checking.pair_up(got, want)]

    assert labels(a, b) == ["result"]
    assert labels((a, [b]), [b, (a,)]) == ["result[0]", "result[1][0]"]
    assert labels({"y": a, "z": 1}, {"y": b}) == ["result['y']"]
    assert labels((a, "time"), b) == ["result[0]"]
    assert labels(a, None) == []


@pytest.mark.parametrize(
    ("dtype", "relative"),
    [(torch.float32, 2**-24), (torch.float16, 2**-11), (torch.bfloat16, 2**-8)],
)
def test_one_rounding_step_is_no_error_and_a_percent_is(dtype: Any, relative: float) -> None:
    bound = checking.RELATIVE[dtype]
    assert 2 * relative < bound < 16 * relative or dtype == torch.float32
    generator = torch.Generator().manual_seed(0)
    exact = torch.randn(1000, generator=generator, dtype=torch.float64)
    rounded = exact.to(dtype)
    step = torch.nextafter(rounded, torch.full_like(rounded, math.inf))
    assert checking.compare("o", step, exact.to(dtype), bound, 0).mismatches == 0
    assert checking.compare("o", rounded * 1.1, exact.to(dtype), bound, 0).mismatches > 900


REFERENCE = """
from playground.engine.session import Session
import torch
play = Session()
def run(text, **run):
    play.load(write("k.py", text))
    return play.run(**run)
def status(launch=0, **knobs):
    c = play.check(launch, **knobs)
    return [c.result.status, c.result.against, c.result.tensor, list(c.derived)]
KERNEL = '''
import torch, triton, triton.language as tl
@triton.jit
def add(x, o, n, a, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) + a, i < n)
def go(x, a):
    o = torch.empty_like(x)
    add[lambda m: (triton.cdiv(x.numel(), m["B"]),)](x, o, x.numel(), a, B=64)
    return o
'''
out = {}
run(KERNEL + '''
def example(n=100): return go(torch.zeros(n), 1.0)
def reference(n=100): return torch.ones(n) * 1.5
''')
out["wrong kernel"] = status()
run(KERNEL + '''
def example(n=100): return go(torch.rand(n), 1.0).reshape(2, -1)
def reference(n=100): return (torch.rand(n).double() + 1).reshape(2, -1)
''', sizes={"n": 50})
out["unseeded, a view, sizes"] = status()
run(KERNEL + '''
def example(n=100):
    first = go(torch.zeros(n), 1.0)
    return go(first[:60], 1.0), first
def reference(n=100): return torch.full((60,), 2.0), torch.full((n,), 1.0)
''')
out["two launches"] = [status(0), status(1)]
run(KERNEL + '''
def example(n=100):
    first = go(torch.zeros(n), 1.0)
    return go(first, 1.0), first
def reference(n=100): return torch.full((n,), 2.0), torch.full((n,), 1.0)
''')
out["like launches"] = [len(play.launches), play.launches[0].info.count, *status(0)]
run(KERNEL + '''
def example(n=100): return go(torch.zeros(n), 1.0).mul_(3)
def reference(n=100): return torch.full((n,), 3.0)
''')
out["changed later"] = status()
run(KERNEL + '''
def example(n=100): return go(torch.zeros(n), 1.0)
def reference(n=100): raise ValueError("no luck")
''')
checked = play.check(0)
out["failing reference"] = status() + [[f.severity, f.line, f.message] for f in checked.findings]
run(open(KERNELS / "softmax.py").read(), sizes={"n_rows": 4, "n_cols": 100})
out["softmax"] = [status(0, BLOCK_SIZE=b) for b in (64, 128, 256)]
checked = play.check(0, BLOCK_SIZE=64)
out["hint"] = [[f.severity, f.stage] for f in checked.findings]
run(open(KERNELS / "matmul.py").read(), sizes={"m": 50, "n": 40, "k": 70},
    driver="example(dtype=torch.bfloat16)")
out["matmul"] = [status(0, BLOCK_M=m, BLOCK_K=k, GROUP_M=g)
                 for m, k, g in ((64, 32, 8), (16, 16, 1), (32, 64, 4))]
run(KERNEL + '''
@triton.jit
def half(o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, 1.0)
def example():
    o = torch.empty(64)
    half[(2,)](o, B=32)
    return o
''')
out["unwritten shows as NaN"] = status(0, B=16)
answer(out)
"""


def test_against_references_and_captured_results(run_engine) -> None:
    got = run_engine(REFERENCE)
    assert got["wrong kernel"][:3] == ["wrong", "reference", "o"]
    assert got["unseeded, a view, sizes"][:2] == ["correct", "reference"]
    assert [item[:2] for item in got["two launches"]] == [["correct", "reference"]] * 2
    assert got["like launches"][:4] == [1, 2, "correct", "reference"]
    assert got["changed later"][:2] == ["correct", "captured"]
    assert got["failing reference"][:2] == ["correct", "captured"]
    severity, line, message = got["failing reference"][4]
    assert (severity, line) == ("warning", 13)
    assert "reference() failed: ValueError: no luck" in message
    small, captured, large = got["softmax"]
    assert small == ["wrong", "reference", "out_ptr", ["BLOCK_SIZE"]]
    assert captured[0] == large[0] == "correct"
    assert large[3] == []
    assert ["hint", "check"] in got["hint"]
    assert ["warning", "capture"] not in got["hint"]
    assert [item[:2] for item in got["matmul"]] == [["correct", "reference"]] * 3
    assert got["unwritten shows as NaN"][:2] == ["wrong", "captured"]
