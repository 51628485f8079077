"""What an exported file mends of Triton's interpreter, and what it says that it cannot judge."""

from __future__ import annotations

import ast
import importlib
import math
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy
import pytest
import torch

from playground.engine import export_interpreter, export_interpreter_text
from playground.engine.export_interpreter import Figures

KERNEL = """
import triton
import triton.language as tl
from triton.language.extra import libdevice
{more}
@triton.jit
def kernel(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, i < n)
    {line}
    tl.store(x + i, v, i < n)
"""


IMPORTED = "from triton.language.extra.cuda.libdevice import rsqrt as root"


def with_line(line: str) -> str:
    return KERNEL.format(line=line, more=IMPORTED if "root" in line else "")


@pytest.mark.parametrize(
    ("line", "narrow", "said"),
    [
        ("v = libdevice.tanh(v) + root(v)", False, []),
        ("v = libdevice.llmax(v, v)", False, ["libdevice.llmax"]),
        ("v = v.to(tl.int16, bitcast=True)", True, ["bitcast"]),
        ("v = v.to(tl.int16, bitcast=True)", False, []),
        ("v = tl.dot_scaled(v, v, 'e4m3', v, v, 'e4m3')", True, ["dot_scaled"]),
        ("v = tl.inline_asm_elementwise('', '', [v], tl.int32, True, 1)", False, ["inline ass"]),
    ],
)
def test_limits_are_told(line: str, narrow: bool, said: list[str]) -> None:
    text = with_line(line)
    kernels = export_interpreter.taking_part(text, "kernel")
    found = export_interpreter.limits(text, kernels, narrow=narrow)
    assert len(found) == len(said)
    assert all(part in text for part, text in zip(said, found, strict=True))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kernel = f[(1,)](x)\nprint(kernel.asm['ptx'])", "compiled code"),
        ("triton.knobs.runtime.launch_enter_hook = print", "hooks"),
        ("kernel = f[(1,)](x)\nprint(kernel.n_regs)", ""),
    ],
)
def test_doubts_are_told(text: str, said: str) -> None:
    found = export_interpreter.doubts(text)
    assert bool(found) == bool(said)
    assert all(said in one for one in found)


@pytest.mark.parametrize(
    ("line", "narrow", "wanted"),
    [
        ("v = v + 1", False, ""),
        ("v = libdevice.tanh(v)", False, "create_extern_elementwise"),
        ("v = v + 1", True, "in_fp32"),
        ("v = tl.where((i < n) and (i > 2), v, 0)", False, "visit_BoolOp"),
        ("for k in range(2): v += (k * 2).to(tl.float32)", False, "visit_For"),
    ],
)
def test_only_what_is_needed_is_mended(line: str, narrow: bool, wanted: str) -> None:
    found = export_interpreter.parts(with_line(line), Figures("cuda:90"), narrow=narrow)
    assert len(found) == bool(wanted)
    for part in found:
        ast.parse(part)
        assert wanted in part


def test_only_the_kernel_and_its_helpers_take_part() -> None:
    others = """
@triton.jit
def other(x):
    tl.store(x, tl.load(x).to(tl.float8e5))

@triton.jit
def helper(x):
    return x.to(tl.bfloat16)

def launch(x):
    other[(1,)](x)
    kernel[(1,)](x, 4, B=8)
"""
    taking = export_interpreter.taking_part(with_line("v = v") + others, "kernel")
    assert "float8" not in taking
    assert "def kernel" in taking
    assert export_interpreter.names_narrow(taking)


def test_branches_alone_need_nothing() -> None:
    text = with_line("v = v * 2 if B > 8 and n > 0 else v")
    kernel = text.replace(
        "v = v * 2 if B > 8 and n > 0 else v", "if B > 8 and not n:\n        v = 2"
    )
    assert export_interpreter.parts(kernel, Figures("cuda:90"), narrow=False) == []


EXACT = {
    "rsqrt": lambda x: 1 / math.sqrt(x), "rcbrt": lambda x: x ** (-1 / 3), "pow": math.pow,
    "exp10": lambda x: 10**x, "normcdf": lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))),
    "fma": lambda x, y, z: x * y + z, "fdim": lambda x, y: max(x - y, 0.0), "rint": round,
    "nearbyint": round, "cbrt": lambda x: x ** (1 / 3), "abs": abs, "finitef": math.isfinite,
    "lgamma": math.lgamma,
    "hypot": math.hypot, "fmod": math.fmod, "saturatef": lambda x: min(max(x, 0.0), 1.0),
    "round": lambda x: math.floor(x + 0.5), "fast_dividef": lambda x, y: x / y,
}  # fmt: skip
"""Values by Python's own arithmetic, of positive numbers."""


@pytest.mark.parametrize("name", sorted(export_interpreter_text.FUNCTIONS))
def test_functions_are_real_and_right(name: str) -> None:
    libdevice = importlib.import_module("triton.language.extra.libdevice")
    assert hasattr(libdevice, name)
    exact = EXACT.get(name, getattr(math, name, None))
    if exact is None:
        return
    function = eval(export_interpreter_text.FUNCTIONS[name], {"numpy": numpy, "torch": torch})
    for count in (1, 2, 3):
        for first in ([0.3, 0.75], [1.3, 2.75]):
            given = [numpy.array(first), numpy.array([1.5, 0.25]), numpy.array([2.0, 0.125])]
            rows = zip(*(one.tolist() for one in given[:count]), strict=True)
            try:
                want = [float(exact(*row)) for row in rows]
                got = [float(value) for value in function(*given[:count])]
            except (TypeError, ValueError):
                continue  # takes more, or others
            assert got == pytest.approx(want, rel=1e-12)
            return
    pytest.fail("no number of operands fits")


NARROW = """
import os
os.environ["TRITON_INTERPRET"] = "1"
import torch

def mend():
{parts}

mend()
import triton
import triton.language as tl

@triton.jit
def product(a, b, out, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    x, y = tl.load(a + i * N + j), tl.load(b + i * N + j)
    c = tl.dot(x, y).to(tl.bfloat16)
    tl.store(out + i * N + j, tl.maximum(c, x.to(tl.bfloat16)))

torch.manual_seed(0)
both = torch.randn(2, 16, 16).to(torch.bfloat16)
out = torch.zeros(16, 16, dtype=torch.bfloat16)
product[(1,)](both[0], both[1], out, 16)
want = torch.maximum(both[0].double() @ both[1].double(), both[0].double())
torch.testing.assert_close(out.double(), want, rtol=2**-7, atol=1e-3)
"""


def test_narrow_types_go_in_fp32(tmp_path: Path) -> None:
    parts = export_interpreter.parts(with_line("v = v"), Figures("cuda:90"), narrow=True)
    script = tmp_path / "narrow.py"
    script.write_text(NARROW.format(parts=textwrap.indent("\n".join(parts), "    ")))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
