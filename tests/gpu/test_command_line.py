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


def test_cold_and_warm_are_told_apart():
    size = 2**20  # 12 MiB: all of it stays in the L2
    cold, warm = (
        document("bench", VECTOR_ADD, "--set", f"size={size}", f"--{cache}")["measurement"]
        for cache in ("cold", "warm")
    )
    assert (cold["cache"], warm["cache"]) == ("cold", "warm")
    assert warm["median_ms"] < cold["median_ms"]
    assert len(warm["samples_ms"]) >= 10


def test_a_comparison_a_curve_and_the_roofline_in_one_document():
    found = document(
        "bench", VECTOR_ADD, "--set", "size=2**24", "--vs", "reference", "--roofline",
        "--curve", "size=2**18:2**22:pow2", "--host", "--energy",
    )["measurement"]  # fmt: skip
    rivals = found["comparison"]
    assert rivals["rounds"] == len(rivals["a_ms"]) == len(rivals["b_ms"])
    assert rivals["low"] <= rivals["ratio"] <= rivals["high"]
    assert rivals["verdict"] in ("faster", "slower", "same", "unsure")
    sizes = [row["sizes"]["size"] for row in found["curve"]["rows"]]
    assert sorted(set(sizes)) == [2**power for power in range(18, 23)]
    assert all(row["median_ms"] > 0 for row in found["curve"]["rows"])
    roof = found["roofline"]
    assert roof["ceilings"]["measured"]
    # An addition in 12 bytes: the time in which they can be moved is the floor.
    assert roof["standing"]["bound"] == "memory"
    bytes_moved, gbps = 12 * 2**24, roof["ceilings"]["copy_gbps"]
    assert roof["standing"]["memory_ms"] == pytest.approx(bytes_moved / gbps / 1e6, rel=0.01)
    assert found["host_cost"]["cached_ms"] < found["host_cost"]["first_call_ms"]
    assert found["energy"]["elapsed_s"] >= 1


def test_a_file_that_asks_for_the_interpreter_is_measured_on_the_gpu(tmp_path):
    path = tmp_path / "asks.py"
    path.write_text('import os\n\nos.environ["TRITON_INTERPRET"] = "1"\n' + VECTOR_ADD.read_text())
    found = document("bench", path)
    assert found["device"]["mode"] == "gpu"
    assert found["measurement"]["source"] != "interpreter"
    told = [finding["message"] for finding in found["findings"]]
    assert any("TRITON_INTERPRET is left to this app" in message for message in told)


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
