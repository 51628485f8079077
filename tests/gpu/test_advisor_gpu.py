"""On a GPU: the advisor names planted causes first, leaves twins alone, and its tries gain."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child_environment import child_environment
from tests.engine.advisor.table import CASES

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]
NAMED, GAINING = 30, 25
CODE = """
import json
from playground.engine.session import Session
from tests.benchmarks.advisor_tries import CASES, line, measured

session = Session()
rows = [measured(session, case) for case in CASES]
session.close()
print("ANSWER" + json.dumps([[row.named, row.silent, row.gains, line(row)] for row in rows]))
"""


def test_causes_are_named_twins_left_alone_and_tries_gain() -> None:
    assert len(CASES) >= NAMED
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=child_environment(interpret=False), cwd=ROOT,
        capture_output=True, text=True, timeout=570, check=False,
    )  # fmt: skip
    answers = [text for text in done.stdout.splitlines() if text.startswith("ANSWER")]
    assert answers, done.stderr[-3000:]
    rows = json.loads(answers[-1].removeprefix("ANSWER"))
    table = "\n".join(row[3] for row in rows)
    assert sum(row[0] for row in rows) >= NAMED, table
    assert sum(row[1] for row in rows) >= NAMED, table
    assert sum(row[2] for row in rows) >= GAINING, table
