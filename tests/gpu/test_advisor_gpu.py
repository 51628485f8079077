"""On a GPU: the advisor names planted causes first, leaves twins alone, and its tries gain."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.advisor_rows import Row, line, totals
from tests.child_environment import child_environment
from tests.engine.advisor.table import CASES

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]
NAMED, GAINING = 30, 25


def test_causes_are_named_twins_left_alone_and_tries_gain(tmp_path: Path) -> None:
    assert len(CASES) >= NAMED
    file = tmp_path / "rows.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.advisor_tries", "--json", str(file)],
        env=child_environment(interpret=False), cwd=ROOT, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert file.is_file(), done.stderr[-3000:]
    rows = [Row(**item) for item in json.loads(file.read_text())["rows"]]
    table = "\n".join([*map(line, rows), totals(rows)])
    assert sum(row.named for row in rows) >= NAMED, table
    assert sum(row.silent for row in rows) >= NAMED, table
    assert sum(row.gains for row in rows) >= GAINING, table
