"""Shows, for every fault in the README's table, that its test ran the code that handles it.

Run: python -m tests.benchmarks.fault_branches [--only WORDS]

Each row's tests run in a process of their own. `tests/fault_handlers.py` says which statements
handle the fault; that they ran is told by themselves, in whichever process it was: the window's,
the engine's, a worker's (`tests/fault_trace`). The exit status is 1 where one did not run, or a
test failed; rows whose tests need what is not here (a GPU, Xvfb) are listed as such.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fault_handlers import HANDLERS
from tests.test_fault_table import ROWS

ROOT = Path(__file__).parents[2]


def prepared(folder: Path) -> Path:
    """Write the list of handlers that the traced processes read; return where it is."""
    place = folder / "handlers"
    lines = {(each.module, each.line()) for row in HANDLERS.values() for each in row}
    place.write_text("".join(f"{module}\t{line}\n" for module, line in sorted(lines)))
    return place


def run(tests: list[str], handlers: Path, hits: Path) -> tuple[str, set[tuple[str, int]]]:
    """Run tests; return the last line that pytest prints, and the statements that ran."""
    paths = [str(ROOT / "tests" / "fault_trace"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "FAULT_HANDLERS": str(handlers), "FAULT_HITS": str(hits),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", *tests],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = re.findall(r"^[^\n]* in [\d.]+s[^\n]*$", done.stdout, re.MULTILINE)
    ran = set()
    if hits.exists():
        for line in hits.read_text().splitlines():
            module, number = line.split("\t")
            ran.add((module, int(number)))
    return said[-1].strip("= ") if said else f"ended with {done.returncode}", ran


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose fault holds these words")
    options = parser.parse_args()
    started = time.monotonic()
    counts = {"shown": 0, "not shown": 0, "not here": 0}
    statements = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        handlers = prepared(folder)
        for number, (fault, _seen, tests) in enumerate(ROWS):
            if options.only not in fault:
                continue
            named = [f"tests/{file}::{test}" for file, test in
                     re.findall(r"`([\w/]+\.py)::(\w+)`", tests)]  # fmt: skip
            said, ran = run(named, handlers, folder / f"hits{number}")
            missed = [each for each in HANDLERS[fault] if (each.module, each.line()) not in ran]
            failed = "failed" in said or "error" in said or said.startswith("ended")
            skipped = "skipped" in said
            verdict = "shown"
            if failed or missed:
                verdict = "not here" if skipped and not failed else "not shown"
            counts[verdict] += 1
            statements += len(HANDLERS[fault]) - len(missed)
            print(f"{verdict:9}  {fault}  ({said})", flush=True)
            for each in HANDLERS[fault]:
                mark = "-" if each in missed else "+"
                print(f"         {mark} {each.module}:{each.line()} {each.words}", flush=True)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    elapsed_s = time.monotonic() - started
    print(f"{told}; {statements} statements seen to run; {elapsed_s:.0f} s")
    return int(bool(counts["not shown"]))


if __name__ == "__main__":
    sys.exit(main())
