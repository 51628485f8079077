import subprocess
import sys
import textwrap

import pytest

from tests.child_environment import child_environment
from tests.engine.style_table import STYLES

HELPER = """
import triton
import triton.language as tl

SCALE = 3


# Scales by a factor.
@triton.jit
def scaled(x, FACTOR: tl.constexpr):
    return x * FACTOR


def unused():
    pass
"""

AUTOTUNED = '''
"""Scales."""

from __future__ import annotations

import os
import torch
import triton
import triton.language as tl
from helper import SCALE, scaled


# The kernel's own comment.
@triton.autotune(
    configs=[triton.Config({"B": 64}), triton.Config({"B": 128}, num_warps=8)], key=["n"]
)
@triton.jit
def kernel(x, o, n, B: tl.constexpr, FACTOR: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, scaled(tl.load(x + i, i < n), FACTOR), i < n)


def host(x):
    o = torch.empty_like(x)
    kernel[lambda m: (triton.cdiv(x.numel(), m["B"]),)](x, o, x.numel(), FACTOR=SCALE)
    return o


if __name__ == "__main__":
    y = host(torch.randn(1000))
'''

FIXED_GRID = """
import torch, triton, triton.language as tl


@triton.jit
def kernel(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)


def host(x, block=64):
    o = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, block),)
    kernel[grid](x, o, n, B=block)
    return o
"""


def check(path):
    environment = child_environment(interpret=False, checkout=False)
    done = subprocess.run(
        [sys.executable, str(path), "--check"],
        cwd=path.parent, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def exported(run_engine, tmp_path, code, files=None, expression=None, knobs=None, options=None):
    """Export in one process and return the file, alone in another folder, and its findings."""
    answer = run_engine(
        f"""
        import playground
        for name, text in {files or {}!r}.items():
            write(name, text)
        session = playground.open({code})
        session.run({expression!r})
        result = session.export(**{ {**(knobs or {}), **(options or {})}!r})
        answer([result.text, result.suggested_name, [f.message for f in result.findings],
                list(session.prepare(**{knobs or {}!r}).grid)])
        session.close()
        """
    )
    text, name, findings, grid = answer
    folder = tmp_path / "alone"
    folder.mkdir()
    path = folder / name
    path.write_text(text)
    return path, text, findings, grid


@pytest.mark.parametrize(
    ("kernel", "knobs"),
    [
        ("vector_add", {"BLOCK_SIZE": 512}),
        ("softmax", {"num_warps": 8}),
        ("matmul", {"BLOCK_M": 32, "num_stages": 4}),
    ],
)
def test_a_bundled_kernel_exports_and_proves_itself(run_engine, tmp_path, kernel, knobs):
    path, text, findings, _ = exported(
        run_engine, tmp_path, f'KERNELS / "{kernel}.py"', knobs=knobs
    )
    assert findings == []
    assert "not timed: interpreter" in text
    assert str(tmp_path) not in text
    for name, value in knobs.items():
        assert f"{name}={value}" in text.partition("import triton")[2]
    code, out, err = check(path)
    assert (code, "correct against the reference" in out) == (0, True), out + err


def test_the_check_fails_when_the_kernel_is_broken(run_engine, tmp_path):
    path, text, _, _ = exported(run_engine, tmp_path, 'KERNELS / "vector_add.py"')
    path.write_text(text.replace("x + y, mask=mask", "x - y, mask=mask"))
    code, out, err = check(path)
    assert (code, "wrong" in out) == (1, True), out + err


def test_an_autotuned_file_with_a_helper_module_and_a_main_block(run_engine, tmp_path):
    path, text, findings, grid = exported(
        run_engine,
        tmp_path,
        'FOLDER / "tuneme.py"',
        files={"helper.py": HELPER, "tuneme.py": AUTOTUNED},
        knobs={"B": 32},
    )
    assert findings == []
    assert grid == [32, 1, 1]
    assert "# The kernel's own comment." in text
    assert "# Scales by a factor." in text
    assert "def unused" not in text
    assert 'triton.Config({"B": 32}' in text
    code, out, err = check(path)
    assert (code, "correct against samples" in out) == (0, True), out + err
    path.write_text(text.replace("return x * FACTOR", "return x + FACTOR"))
    assert check(path)[0] == 1


def test_a_grid_computed_from_a_parameter_follows_the_frozen_config(run_engine, tmp_path):
    path, text, findings, grid = exported(
        run_engine,
        tmp_path,
        'FOLDER / "fixed.py"',
        files={"fixed.py": FIXED_GRID},
        expression="host(torch.arange(1000.0))",
        knobs={"B": 256},
    )
    assert findings == []
    assert grid == [4, 1, 1]
    assert "block=256" in text
    code, out, err = check(path)
    assert code == 0, out + err


ODD_DRIVERS = {
    "nan_then_more": """
        def example(n=16):
            x = torch.zeros(n)
            Ops.kernel[(1,)](x, float("nan"), n, B=16)
            Ops.kernel[(1,)](x, 1.5, n, B=16)
            return x
    """,
    "in_the_body": """
        x = torch.rand(16)
        Ops.kernel[(1,)](x, 1.5, 16, B=16)
    """,
    "ends_itself": """
        if __name__ == "__main__":
            import sys
            x = torch.rand(16)
            Ops.kernel[(1,)](x, 1.5, 16, B=16)
            sys.exit("done")
    """,
    "failing_reference": """
        def example(n=16):
            x = torch.rand(n)
            Ops.kernel[(1,)](x, 1.5, n, B=16)
            return {"x": x}


        def reference(n=16):
            return {}["nothing"]
    """,
    "random_reference": """
        import random
        import numpy as np


        def inputs(n):
            return torch.rand(n) + random.random() + float(np.random.rand())


        def example(n=16):
            x = inputs(n)
            Ops.kernel[(1,)](x, 1.5, n, B=16)
            return {"more": [x, n]}


        def reference(n=16):
            return {"more": [inputs(n) + 1.5]}
    """,
    "another_shape": """
        def example(n=16):
            x = torch.rand(n)
            Ops.kernel[(1,)](x, 1.5, n, B=16)
            return x


        def reference(n=16):
            return torch.zeros(n + 1)
    """,
    "only_on_a_gpu": """
        def example(n=16):
            x = torch.rand(n, device="cuda")
            Ops.kernel[(1,)](x, 1.5, n, B=16)
            return x
    """,
    "bfloat16": """
        def example(n=16):
            x = torch.rand(n).to(torch.bfloat16)
            Ops.kernel[(1,)](x, 1.5, n, B=16)
            return x
    """,
}

IN_A_CLASS = """
import torch
import triton
import triton.language as tl


class Ops:
    @staticmethod
    @triton.jit
    def kernel(x, s, n, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(x + i, tl.load(x + i, i < n) + s, i < n)


"""

SAMPLES = (0, "correct against samples of the captured result")


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("nan_then_more", SAMPLES),
        ("in_the_body", SAMPLES),
        ("ends_itself", SAMPLES),
        ("failing_reference", SAMPLES),
        ("random_reference", (0, "correct against the reference")),
        ("another_shape", (1, "wrong: shape (16,) and not (17,)")),
        ("only_on_a_gpu", SAMPLES),
        ("bfloat16", SAMPLES),
    ],
)
def test_the_check_of_odd_drivers(run_engine, tmp_path, name, outcome):
    text = IN_A_CLASS + textwrap.dedent(ODD_DRIVERS[name])
    path, _, _, _ = exported(
        run_engine, tmp_path, f"write('{name}.py', {text!r})", knobs={"num_warps": 2}
    )
    status, said, complained = check(path)
    assert (status, said.strip().partition(":")[0], complained) == (
        outcome[0], outcome[1].partition(":")[0], ""
    )  # fmt: skip
    assert outcome[1] in said


def test_what_only_a_gpu_can_do_is_exported_all_the_same(run_engine, tmp_path):
    style = str(STYLES / "inline_asm.py")
    path, text, findings, _ = exported(run_engine, tmp_path, repr(style), knobs={"num_warps": 2})
    assert "num_warps=2" in text
    assert any("--check judges on a GPU alone: inline assembly" in item for item in findings)
    status, said, complained = check(path)
    assert (status, complained) == (2, "")
    assert said.startswith("not judged: Triton's interpreter is no judge: inline assembly")


def test_what_touches_other_memory_is_told(run_engine, tmp_path):
    text = IN_A_CLASS + textwrap.dedent(
        """
        def example():
            x = torch.zeros(12)
            Ops.kernel[(1,)](x, 1.0, 16, B=16)
            return x
        """
    )
    _, _, findings, _ = exported(run_engine, tmp_path, f"write('outside.py', {text!r})")
    assert [one for one in findings if "load outside x: 4 lanes" in one]


def test_grid_and_shapes_of_the_header_are_those_of_the_config(run_engine, tmp_path):
    style = STYLES / "replay_plain_assert.py"
    path, text, _, grid = exported(run_engine, tmp_path, repr(str(style)), knobs={"BLOCK": 256})
    assert grid == [4, 1, 1]
    assert "# grid      4 x 1 x 1\n" in text
    assert "# tensors   x float32[1000], partial float32[4]\n" in text
    status, out, error = check(path)
    assert status == 0, out + error
