"""The clocks beside each other, each in a process of its own: CUPTI lets in one reader."""

import json
import subprocess
import sys

import pytest

from tests.child_environment import ROOT, child_environment

pytestmark = pytest.mark.gpu


def bench(source, *options):
    kernel, *rest = options
    done = subprocess.run(
        [sys.executable, "-P", "-m", "playground", "bench", str(ROOT / "kernels" / kernel),
         "--source", source, "--json", *rest],
        capture_output=True, text=True, timeout=300, check=False,
        env=child_environment(interpret=False),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    measured = json.loads(done.stdout)["measurement"]
    assert measured["source"] == source
    return measured


CASES = [
    ("vector_add.py", "--set", "size=2**20", "--cold"),
    ("vector_add.py", "--set", "size=2**20", "--warm"),
    ("vector_add.py", "--set", "size=2**24", "--cold"),
    ("matmul.py", "--set", "m=1024", "--set", "n=1024", "--set", "k=1024", "--cold"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[:3:2] + case[-1:]))
def test_proton_and_torchs_profiler_read_the_same_times(case):
    ours, theirs = bench("cupti", *case), bench("proton", *case)
    assert theirs["median_ms"] == pytest.approx(ours["median_ms"], rel=0.05)
    assert len(theirs["samples_ms"]) >= 10


def test_events_agree_on_a_long_launch():
    case = ("vector_add.py", "--set", "size=2**26")
    ours = bench("cupti", *case)
    assert bench("events", *case)["median_ms"] == pytest.approx(ours["median_ms"], rel=0.05)


def test_a_graph_agrees_on_a_short_launch():
    # Over rotating buffers in one graph some of a launch overlaps with the one before.
    case = ("vector_add.py", "--set", "size=2**20", "--warm")
    ours = bench("cupti", *case)
    assert bench("graph", *case)["median_ms"] == pytest.approx(ours["median_ms"], rel=0.3)


def test_a_comparison_is_read_by_proton_as_well():
    found = bench("proton", "softmax.py", "--vs", "torch.softmax(x_ptr, -1)", "--budget", "50")[
        "comparison"
    ]
    assert found["source"] == "proton"
    assert found["rounds"] >= 10
