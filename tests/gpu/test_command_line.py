"""The verbs on a GPU: timings with their source, bandwidth from counted bytes, exact counts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child_environment import child_environment

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]
VECTOR_ADD = ROOT / "kernels" / "vector_add.py"


def document(*arguments):
    done = subprocess.run(
        [sys.executable, "-P", "-m", "playground", *map(str, arguments), "--json"],
        capture_output=True, text=True, timeout=300, check=False,
        env=child_environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_bench_measures_the_gpu():
    size = 2**24
    found = document("bench", VECTOR_ADD, "--set", f"size={size}")
    measured = found["measurement"]
    assert found["device"]["mode"] == "gpu"
    assert measured["source"] in ("cupti", "graph", "events")
    assert measured["bytes_unique"] == 3 * 4 * size
    assert measured["bandwidth_gbps"] == pytest.approx(12 * size / measured["median_ms"] / 1e6)
    assert measured["check"]["status"] == "correct"


def test_coverage_is_counted_on_the_gpu():
    size = 98432
    found = document("coverage", VECTOR_ADD)["coverage"]
    assert found["mode"] == "gpu"
    tensors = {tensor["name"]: tensor for tensor in found["tensors"]}
    assert tensors["x_ptr"]["loads"] == {"total": size, "min": 1, "max": 1}
    assert tensors["out_ptr"]["stores"] == {"total": size, "min": 1, "max": 1}
    assert tensors["out_ptr"]["unwritten"] == 0


def test_sweep_ranks_by_time():
    found = document(
        "sweep", VECTOR_ADD, "--set", "size=2**22", "--values", "BLOCK_SIZE=256,1024,4096"
    )["sweep"]
    times = [row["median_ms"] for row in found["rows"] if row["status"] == "correct"]
    assert len(times) == 3
    assert found["best"]["median_ms"] == min(times)
