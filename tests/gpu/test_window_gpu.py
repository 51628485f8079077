"""Photographs of the real window on the GPU, with real timings and coverage in it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from playground.model.resources import kernels_dir
from tests.child_environment import child_environment

pytestmark = pytest.mark.gpu

PICTURES = [
    ("vector_add", "light", 1, "", ""),
    ("vector_add", "dark", 1, "", ""),
    ("vector_add", "light", 2, "", "sweep"),
    ("vector_add", "dark", 2, "", ""),
    ("softmax", "light", 1, "compiler", ""),
    ("softmax", "dark", 2, "", ""),
    ("matmul", "light", 1, "", ""),
    ("matmul", "dark", 1, "compiler", ""),
    ("matmul", "light", 2, "", ""),
    ("matmul", "dark", 2, "", ""),
    ("matmul", "dark", 1, "schedule", ""),
    ("softmax", "light", 2, "schedule", ""),
]


@pytest.mark.parametrize(("kernel", "theme", "scale", "front", "sweep"), PICTURES)
def test_photograph(kernel, theme, scale, front, sweep, tmp_path):
    folder = Path(os.environ.get("OUT") or tmp_path)
    name = "-".join(filter(None, [kernel, theme, f"{scale}x", front, sweep]))
    png = folder / f"window-{name}.png"
    command = [
        sys.executable, "-m", "playground.ui.photograph", str(kernels_dir() / f"{kernel}.py"),
        str(png), "--theme", theme, "--scale", str(scale), "--timeout", "120",
    ]  # fmt: skip
    front = ",".join(filter(None, [front, sweep]))
    if front:
        command += ["--front", front]
    if sweep:
        command += ["--sweep"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False,
        env=child_environment(QT_QPA_PLATFORM="offscreen"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    print(result)
    assert result["missing"] == []
    assert result["launches"] >= 1
    assert (result["width"], result["height"]) == (1600 * scale, 1000 * scale)
    assert not [text for text in result["findings"] if ": error (" in text or text[:5] == "error"]
    assert "NVIDIA" in result["device"] or "H200" in result["device"]
    assert 0 < result["median_ms"] < 100
    assert result["bandwidth_gbps"] > 1
    assert png.stat().st_size > 50_000


@pytest.mark.parametrize(("colour", "step"), [("wave", 0), ("sm", 0), ("owner", 9)])
def test_photograph_of_programs(colour, step, tmp_path):
    """What only a GPU knows in the tile maps, and one step of a program counted there."""
    folder = Path(os.environ.get("OUT") or tmp_path)
    png = folder / f"window-programs-{colour}-{step}.png"
    command = [
        sys.executable, "-m", "playground.ui.photograph", str(kernels_dir() / "matmul.py"),
        str(png), "--timeout", "120", "--problem", '{"m": 2048, "n": 2048, "k": 1024}',
        "--maps", "all", "--program", "37", "--colour", colour, "--step", str(step),
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False,
        env=child_environment(QT_QPA_PLATFORM="offscreen"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["missing"] == []
