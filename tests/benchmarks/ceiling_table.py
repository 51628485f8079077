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
        shown.append(" ".join(words).replace("BLOCK_SIZE", "BLOCK").replace("BLOCK_", ""))
    return " + ".join(f"`{text}`" for text in shown)


if __name__ == "__main__":
    main()
