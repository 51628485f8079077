"""A report and a reproducer of real launches, made and run."""

import ast
import json
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
import torch

from playground.engine.report_pictures import png
from playground.engine.reproducer import without_tuners
from tests.child_environment import child_environment

SCRIPT = """
import json, sys
import playground
session = playground.open(sys.argv[1])
session.run()
text = session.report(sys.argv[2])
try:
    script = session.reproducer()
except ValueError as error:
    script = f"refused: {error}"
print(json.dumps([text == open(sys.argv[2]).read(), script]))
session.close()
"""

KERNEL = """
import torch
import triton
import triton.language as tl

SCALE = tl.constexpr(2.0)


@triton.jit
def scaled(x):
    return x * SCALE


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def both(x_ptr, y_ptr, half_ptr, n, eps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, scaled(x) + eps, mask=at < n)


def example(size: int = 200):
    x = torch.ones(size)
    y = torch.empty_like(x)
    both[lambda meta: (triton.cdiv(size, meta["BLOCK"]),)](x, y, x[100:], size, 0.5)
    return y
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made here")
    (folder / "both.py").write_text(KERNEL)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder / "both.py"), str(folder / "r.html")],
        env=child_environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    same, script = json.loads(done.stdout.splitlines()[-1])
    assert same
    return folder, (folder / "r.html").read_text(), script


def test_the_report_has_every_part_and_no_folder(made):
    folder, text, _ = made
    for part in ("time", "coverage", "compiler", "source", "launch", "device", "findings"):
        assert f"id='{part}'" in text
    assert "correct" in text
    assert "Not known." not in text
    assert text.count("data:image/png") >= 2
    assert "cuda:90" in text
    assert "scaled(x) + eps" in text
    for private in (str(folder), os.path.expanduser("~") + "/", sys.prefix):
        assert private not in text


def test_the_reproducer_is_python_that_runs_alone(made):
    folder, _, script = made
    tree = ast.parse(script)
    assert "autotune" not in script
    assert "example" not in script
    assert [n.name for n in tree.body if isinstance(n, ast.FunctionDef)] == ["scaled", "both"]
    assert "BLOCK=64" in script
    assert "eps=0.5" in script
    # Two arguments lie in one storage, as in the launch.
    assert script.count("storage_0") >= 3
    there = script.replace("if torch.cuda.is_available():", "if True:")
    there = there.replace("torch.cuda.synchronize()", "").replace(
        'DEVICE = "cuda" if torch.cuda.is_available() else "cpu"', 'DEVICE = "cpu"'
    )
    there += "\nassert torch.allclose(y_ptr, x_ptr * 2 + 0.5)\n"
    (folder / "alone.py").write_text(there)
    done = subprocess.run(
        [sys.executable, str(folder / "alone.py")], capture_output=True, text=True, timeout=60,
        check=False, env=child_environment(interpret=True, checkout=False),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="with a GPU the script launches")
def test_the_reproducer_compiles_where_no_gpu_is(made):
    folder, _, script = made
    (folder / "compiled.py").write_text(script)
    done = subprocess.run(
        [sys.executable, str(folder / "compiled.py")], capture_output=True, text=True, timeout=60,
        check=False, env=child_environment(checkout=False),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("no GPU here; compiled for cuda:90:")
    assert "ptx" in done.stdout
    # A fault of the compiler's shows without a GPU.
    (folder / "broken.py").write_text(script.replace("mask=at < n)", "mask=at < n + (n,))", 1))
    done = subprocess.run(
        [sys.executable, str(folder / "broken.py")], capture_output=True, text=True, timeout=60,
        check=False, env=child_environment(checkout=False),
    )  # fmt: skip
    assert done.returncode != 0
    assert "CompilationError" in done.stderr


def test_only_jit_stays_above_the_kernel():
    plain = "@triton.jit(debug=True)\ndef k(x):\n    pass\n"
    text = "@triton.autotune(\n    configs=[],\n)\n@triton.heuristics({})\n" + plain
    assert without_tuners(text, "k") == plain
    assert without_tuners(text, "other") == text


def test_a_png_holds_its_pixels():
    pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    data = png(pixels)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (3, 2)
    start = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[start - 4 : start])
    rows = np.frombuffer(zlib.decompress(data[start + 4 : start + 4 + length]), np.uint8)
    assert np.array_equal(rows.reshape(2, 10)[:, 1:].reshape(2, 3, 3), pixels)
