"""What hostile files are told: the cause and what to do about it, on the right line."""

from types import SimpleNamespace

import pytest
import triton.language as tl

from playground.engine.launch_findings import warnings_of
from playground.model.outline import outline

FILE = """
import time
import torch, triton
import triton.language as tl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    @triton.jit
    def ghost(x):
        tl.store(x, 1.0)

@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, i < n)

def example(n=60):
    x = torch.zeros(n)
    k[(1,)](x, n, B=64)
    return x

def reference(n=60):
    torch.manual_seed(CALLS)
    CALLS.append(1)
    return torch.randn(n)

def haunted():
    ghost[(1,)](torch.zeros(1))
"""
CALLS = "    torch.manual_seed(CALLS)\n    CALLS.append(1)\n"
CHANGING = FILE.replace(CALLS, "    CALLS.append(1)\n    torch.manual_seed(len(CALLS))\n") + (
    "\nCALLS = []\n"
)
STEADY = FILE.replace(CALLS, "")

WORK = f"""
import playground
def told(findings):
    return [[item.severity, item.line, item.message, item.hint] for item in findings]
got = {{}}
for name, text in (("changing", {CHANGING!r}), ("steady", {STEADY!r})):
    play = playground.open(write(name + ".py", text))
    play.run("example()")
    checked = play.check(0)
    got[name] = [checked.result.status, told(checked.findings)]
play.run("haunted()")
got["ghost"] = told(play.findings)
play.close()
answer(got)
"""


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


def test_a_reference_that_changes_and_a_name_for_type_checkers(run_engine):
    got = run_engine(WORK)
    status, findings = got["changing"]
    assert status == "wrong"
    (told,) = [item for item in findings if item[2].startswith("reference()")]
    assert told[:2] == ["warning", line_of(CHANGING, "def reference")]
    assert "gives something else each time" in told[2]
    status, findings = got["steady"]  # as wrong, and not for that reason
    assert status == "wrong"
    assert not [item for item in findings if item[2].startswith("reference()")]
    (ghost,) = got["ghost"]
    assert ghost[1] == line_of(STEADY, "ghost[(1,)]")
    assert f"line {line_of(STEADY, 'def ghost')} defines ghost under" in ghost[3]


@pytest.mark.parametrize("line", ["%matplotlib inline", "!pip install torch"])
def test_a_notebooks_own_line_is_told(line):
    (finding,) = outline(f"import torch\n{line}\n", "x.py").findings
    assert finding.line == 2
    assert "notebook's own" in finding.hint


@pytest.mark.parametrize(
    ("grid", "target", "part"),
    [
        ((1, 65536, 1), "cuda:90", "65536 programs along y"),
        ((1, 2, 70000), "cuda:90", "70000 programs along z"),
        ((1 << 20, 65535, 65535), "cuda:90", ""),
        ((1, 65536, 1), "hip:gfx942", ""),
    ],
)
def test_a_grid_that_no_gpu_of_nvidias_takes(grid, target, part):
    info = SimpleNamespace(kernel="k", call_line=7, grid=grid)
    captured = SimpleNamespace(info=info, function=tl.cdiv, grid=grid, chosen=None)
    found = warnings_of(captured, {}, target, "k.py", performs=True, tuning=False)
    assert [item.severity for item in found] == (["error"] if part else [])
    assert not part or part in found[0].message
