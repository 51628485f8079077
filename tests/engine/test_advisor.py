"""Without a GPU: planted causes are named first, tuned twins left alone, tries right.

The rest of the table needs a GPU's sizes: `tests/gpu/test_advisor_gpu.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child_environment import child_environment
from tests.engine.advisor.table import CASES

ROOT = Path(__file__).parents[2]
HERE = ("column_walk", "masked_rows", "row_table", "idle_threads")
BY_NAME = {case.name: case for case in CASES}


@pytest.fixture(scope="module")
def told() -> dict[str, list[dict]]:
    """What was said of each crippled kernel and of its twin, by one process for all."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.advised", *HERE],
        env=child_environment(interpret=True), cwd=ROOT, capture_output=True, text=True,
        timeout=280, check=False,
    )  # fmt: skip
    answers = [line for line in done.stdout.splitlines() if line.startswith("ANSWER")]
    assert answers, done.stderr[-3000:]
    found: dict[str, list[dict]] = json.loads(answers[-1].removeprefix("ANSWER"))
    return found


def test_the_table_has_thirty_kernels_with_one_cause_each() -> None:
    assert len(CASES) >= 30
    assert len({case.name for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.twin_text() != case.text()


@pytest.mark.parametrize("name", HERE)
def test_the_planted_cause_comes_first_with_evidence_and_a_try(name, told) -> None:
    crippled, _ = told[name]
    assert crippled["first"] == BY_NAME[name].cause
    assert crippled["evidence"]
    assert crippled["line"]
    assert crippled["gain"] > 1.1
    assert not crippled["measured"]
    # The try computes the same; without a GPU it is not timed.
    assert crippled["result"] == "not measured"


@pytest.mark.parametrize("name", HERE)
def test_nothing_is_said_of_the_tuned_twin(name, told) -> None:
    _, twin = told[name]
    assert twin["causes"] == []


def test_knobs_are_set_and_lines_changed(told) -> None:
    assert told["masked_rows"][0]["tries"] == ["BLOCK=512"]  # the next power of two over 500
    assert not told["masked_rows"][0]["edits"]
    assert told["row_table"][0]["edits"]
