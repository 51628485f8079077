"""The verb `kernels`: the bundled kernels, what each teaches, and whether it runs here."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

from playground.cli.help_page import help_width
from playground.cli.outputs import writing
from playground.model.bundled import kernel_groups, mark_of

if TYPE_CHECKING:
    import argparse

    from playground.cli.help_page import HelpParser


def add_options(parser: HelpParser) -> None:
    """Add the verb's own options."""
    own = parser.group("options of kernels")
    own.add_argument("words", nargs="*", metavar="WORD", help="only those that have all the words")


def show(options: argparse.Namespace) -> int:
    """Print the bundled kernels; return 1 where none has the words."""
    target, query = _target(), " ".join(options.words)
    found = [
        (group.title, kernel, mark_of(kernel, target))
        for group in kernel_groups() for kernel in group.kernels if kernel.matches(query)
    ]  # fmt: skip
    with writing():
        if options.json:
            rows = [
                {
                    "name": kernel.name, "path": str(kernel.path), "group": title,
                    "title": kernel.title, "teaches": kernel.line, "runs": mark.kind == "runs",
                    "mark": mark.text, "why": mark.why, "targets": list(kernel.facts.targets),
                }
                for title, kernel, mark in found
            ]  # fmt: skip
            print(json.dumps(rows, indent=1))
            return int(not found)
        if not found:
            print(f"no bundled kernel has the words {query!r}")
            return 1
        width, margin = help_width(), max(len(kernel.name) for _, kernel, _ in found) + 2
        shown = ""
        for title, kernel, mark in found:
            if title != shown:
                print(f"{'' if not shown else chr(10)}{title}")
                shown = title
            text = f"{kernel.title}: {kernel.line} [{mark.text}]"
            print(textwrap.fill(text, width, initial_indent=f"  {kernel.name:<{margin}}",
                                subsequent_indent=" " * (2 + margin)))  # fmt: skip
    return 0


def _target() -> str:
    """Return the GPU of this machine, empty where there is none; torch is not asked for it."""
    from playground.engine.gpus import visible_gpus

    return next((gpu.target for gpu in visible_gpus()), "")
