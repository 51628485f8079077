"""Run the interpreter's cases in one process of their own: TRITON_INTERPRET is set at its start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.child_environment import child_environment

ROOT = Path(__file__).parents[2]


def run_cases(*names: str, interpreted: bool = True) -> dict[str, Any]:
    """Return what each case returned, or how it failed, by name."""
    chosen = "1" if interpreted else "0"
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/engine/cases/run.py"), *names],
        env=child_environment(PYTHONWARNINGS="ignore", TRITON_INTERPRET=chosen),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"the cases ended with {done.returncode}:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def value_of(outcomes: dict[str, Any], name: str) -> Any:
    """Return a case's value; a case that raised fails the test with its traceback."""
    outcome = outcomes[name]
    assert "value" in outcome, outcome["traceback"]
    return outcome["value"]
