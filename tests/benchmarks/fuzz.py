"""The fuzz tests for long: files, knob values, messages, state, settings and the store.

Run: python -m tests.benchmarks.fuzz [--times 20]

The suite runs a few examples of each; here they are many times as many, and the seed is printed.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=float, default=20, help="how many times the examples")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.times:g} times the examples of the suite", flush=True)
    files = sorted(str(path) for path in (ROOT / "tests").glob("*/test_fuzz*.py"))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         f"--hypothesis-seed={options.seed}", "--durations=20", *files],
        cwd=ROOT, env={**os.environ, "FUZZ_TIMES": str(options.times)}, check=False,
    ).returncode  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
