"""The README's table of kernels against their ceilings, from what `kernel_ceilings.py` wrote.

Run as `python -m tests.benchmarks.ceiling_table FILE [FILE ...]`: rows of a later file take the
place of the same rows of an earlier one; rows that no file has are told.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.benchmarks.ceiling_rows import ROWS
from tests.benchmarks.kernel_ceilings import goal

QUIET = ("num_ctas=1", "num_stages=3", "HINTS=True", "ALIGNED=True", "EVEN=True", "CHECK=False")
"""Values that say nothing: defaults, and what the data dictates."""


def main() -> None:
    found: dict[str, dict[str, Any]] = {}
    for name in sys.argv[1:]:
        for line in json.loads(Path(name).read_text()):
            if not line["problem"]:
                found[line["title"]] = line
    print("| kernel | tuned | ceiling | of it | config |\n| --- | --- | --- | --- | --- |")
    for row in ROWS:
        line = found.get(row.title)
        if line is None:
            print(f"not measured: {row.title}", file=sys.stderr)
            continue
        print(_row(row, line))


def _row(row: Any, line: dict[str, Any]) -> str:
    share = f"{100 * line['share']:.0f} %"
    if line["share"] < goal(line["title"]):
        share = f"**{share}**"
    ceiling = f"{line['ceiling']} {_time(line['ceiling_ms'])}"
    return f"| {row.title} | {_time(line['ours_ms'])} | {ceiling} | {share} | {_configs(line)} |"


def _time(time_ms: float) -> str:
    if time_ms >= 1:
        return f"{time_ms:.2f} ms"
    return f"{time_ms * 1e3:.1f} µs" if time_ms < 0.1 else f"{time_ms * 1e3:.0f} µs"


def _configs(line: dict[str, Any]) -> str:
    shown = []
    for config in line["configs"]:
        words = [word for word in config.split() if word not in QUIET]
        words = [word for word in words if not word.startswith(("HEAD=", "CAUSAL=", "DEGREE="))]
        text = " ".join(words).replace("BLOCK_SIZE", "BLOCK").replace("num_", "")
        for letter in ("M", "N", "K", "X", "Y", "ROWS", "COLUMNS"):
            text = text.replace(f"BLOCK_{letter}=", f"{letter}=")
        shown.append(text)
    return " + ".join(f"`{text}`" for text in shown)


if __name__ == "__main__":
    main()
