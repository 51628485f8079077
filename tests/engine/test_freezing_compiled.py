"""Options of a kernel that is launched as compiled are written where it is compiled."""

import ast
import re

import pytest

from playground.engine.freezing_compiled import compiling_calls, passed_to
from tests.engine.style_table import STYLES
from tests.engine.test_export import check, exported


def compiled_by(text, launched):
    tree = ast.parse(text)
    launch = ast.parse(launched, mode="eval").body
    return [ast.unparse(call) for call in compiling_calls(tree, launch, "k")]


@pytest.mark.parametrize(
    ("text", "launched", "found"),
    [
        ("r = k.warmup(x, grid=(1,))", "r[g](x)", ["k.warmup(x, grid=(1,))"]),
        ("r = m.k.warmup(x, grid=(1,))\nr = other(2)", "r[g](x)", ["m.k.warmup(x, grid=(1,))"]),
        ("r = k[g](x, B=2)", "r[h](x)", ["k[g](x, B=2)"]),
        ("self.r = k.warmup(x, grid=1)", "self.r[g](x)", ["k.warmup(x, grid=1)"]),
        ("r, n = made.get(1)\ndef f():\n    return k.warmup(x, grid=1)", "r[g](x)",
         ["k.warmup(x, grid=1)"]),
        ("r = k.warmup(x, grid=1)", "k[g](x)", []),
        ("r = k.warmup(x, grid=1)\ntuned = triton.autotune(c)(k)", "tuned[g](x)", []),
        ("r = other.warmup(x, grid=1)", "r[g](x)", []),
        ("r = k.warmup(x, grid=1)", "r(x)", []),
    ],
)  # fmt: skip
def test_the_call_that_compiled_a_kernel_is_found(text, launched, found):
    assert compiled_by(text, launched) == found


def test_what_a_call_passes_has_the_kernels_names():
    call = ast.parse("k.warmup(x, 3, *rest, num_warps=4)", mode="eval").body
    passed = {name: ast.unparse(value) for name, value in passed_to(call, ("a", "b", "c")).items()}
    assert passed == {"a": "x", "b": "3", "num_warps": "4"}


class Runner:
    """Takes what a compiled kernel's runner takes: arguments by position."""

    def __init__(self, calls):
        self.calls = calls

    def __getitem__(self, grid):
        return lambda *arguments: self.calls.append((grid, arguments))


class Kernel:
    def __init__(self):
        self.compiled, self.calls = [], []

    def warmup(self, *arguments, **options):
        self.compiled.append((arguments, options))
        return Runner(self.calls)


@pytest.mark.parametrize(
    ("knobs", "block", "warps"), [({"num_warps": 4}, 32, 4), ({"BLOCK": 64}, 64, 8)]
)
def test_an_exported_runner_takes_no_options(run_engine, tmp_path, knobs, block, warps):
    style = STYLES / "launch_warmed_up.py"
    path, text, findings, _ = exported(run_engine, tmp_path, repr(str(style)), knobs=knobs)
    assert findings == []
    made = re.search(r"^KERNEL = .*$", text, re.M)[0]
    launched = re.search(r"^ +(KERNEL\[.*)$", text, re.M)[1]
    kernel = Kernel()
    exec(
        f"{made}\n{launched}",
        {"softmax_rows": kernel, "X": "x", "OUT": "out", "PROGRAMS": 3},
    )
    assert kernel.compiled == [
        (("out", "x", 8, 30),
         {"BLOCK": block, "STAGES": 2, "num_warps": warps, "num_stages": 3, "grid": (1,)}),
    ]  # fmt: skip
    assert kernel.calls == [((3, 1, 1), ("out", "x", 8, 30, block, 2))]
    status, out, _ = check(path)
    assert (status, out.strip()) == (0, "correct against samples of the captured result")
