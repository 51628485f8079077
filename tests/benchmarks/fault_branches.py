"""Shows, for every fault in the README's table, that its test ran the code that handles it.

Run: python -m tests.benchmarks.fault_branches [--only WORDS]

`tests/fault_handlers.py` says which statements handle a fault; that they ran is told by themselves,
in whichever process it was: the window's, the engine's, a worker's (`tests/fault_trace`). What ran
between the beginning of a test and of the next counts for it. The exit status is 1 where a handler
did not run, or a test failed; rows whose tests need what is not here (a GPU, Xvfb) are listed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fault_handlers import HANDLERS, Handler
from tests.test_fault_table import ROWS

ROOT = Path(__file__).parents[2]


def prepared(folder: Path) -> Path:
    """Write the list of handlers that the traced processes read; return where it is."""
    place = folder / "handlers"
    lines = {(each.module, each.line()) for row in HANDLERS.values() for each in row}
    place.write_text("".join(f"{module}\t{line}\n" for module, line in sorted(lines)))
    return place


@dataclass
class Seen:
    """What was seen of one test: the handlers that ran in it, and how it ended."""

    ran: set[tuple[str, int]] = field(default_factory=set)
    outcomes: set[str] = field(default_factory=set)


def run(tests: list[str], handlers: Path, hits: Path) -> dict[str, Seen]:
    """Run tests, in one process of pytest; return what was seen of each."""
    paths = [str(ROOT / "tests" / "fault_trace"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "FAULT_HANDLERS": str(handlers), "FAULT_HITS": str(hits),
    }  # fmt: skip
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header",
         "-p", "tests.fault_trace.marks", "--tb=short", *tests],
        cwd=ROOT, env=environment, check=False,
    )  # fmt: skip
    found = {test: Seen() for test in tests}
    now = Seen()
    for line in hits.read_text().splitlines():
        kind, name, *rest = line.split("\t")
        if kind == "test":
            now = found[name]
        elif kind == "outcome":
            found[name].outcomes.add(rest[0])
        else:
            now.ran.add((name, int(rest[0])))
    return found


def verdict_on(handlers: tuple[Handler, ...], seen: list[Seen]) -> tuple[str, list[Handler]]:
    """Return what is to be said of a row, and the handlers that did not run."""
    ran = {hit for each in seen for hit in each.ran}
    outcomes = [each.outcomes for each in seen]
    missed = [each for each in handlers if (each.module, each.line()) not in ran]
    if any(not each or "failed" in each for each in outcomes):
        return "not shown", missed
    if missed:
        return ("not here" if {"skipped"} in outcomes else "not shown"), missed
    return "shown", missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose fault holds these words")
    options = parser.parse_args()
    started = time.monotonic()
    rows = {
        fault: [f"tests/{file}::{test}" for file, test in
                re.findall(r"`([\w/]+\.py)::(\w+)`", tests)]
        for fault, _, tests in ROWS
        if options.only in fault
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        tests = list(dict.fromkeys(test for row in rows.values() for test in row))
        seen = run(sorted(tests), prepared(Path(name)), Path(name) / "hits")
    counts: Counter[str] = Counter()
    for fault, named in rows.items():
        verdict, missed = verdict_on(HANDLERS[fault], [seen[test] for test in named])
        counts[verdict] += 1
        counts["statements seen to run"] += len(HANDLERS[fault]) - len(missed)
        print(f"{verdict:9}  {fault}")
        for each in HANDLERS[fault]:
            mark = "-" if each in missed else "+"
            print(f"         {mark} {each.module}:{each.line()} {each.words}")
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{len(rows)} rows, {len(tests)} tests: {told}; {time.monotonic() - started:.0f} s")
    return int(bool(counts["not shown"]))


if __name__ == "__main__":
    sys.exit(main())
