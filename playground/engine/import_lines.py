"""Import statements as lines of text: those of one module made one, and sorted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE_LENGTH = 100


def merged(lines: Sequence[str]) -> list[str]:
    """Return import lines with those from one module made one."""
    found: dict[str, list[str]] = {}
    for line in lines:
        head, _, names = line.partition(" import ")
        if line.startswith("from ") and names != "*" and "\n" not in line:
            found.setdefault(head, []).append(names)
        else:
            found[line] = []
    merged = []
    for head, members in found.items():
        if not members:
            merged.append(head)
            continue
        line = f"{head} import {', '.join(dict.fromkeys(sorted(members, key=str.lower)))}"
        if len(line) > _LINE_LENGTH:
            inside = "".join(f"    {name},\n" for name in sorted(members, key=str.lower))
            line = f"{head} import (\n{inside})"
        merged.append(line)
    return merged


def sorted_imports(lines: Sequence[str]) -> str:
    """Return import lines sorted: the standard library's first, whole modules before members."""
    groups: dict[bool, list[str]] = {True: [], False: []}
    for line in merged(list(dict.fromkeys(lines))):
        statement = line.rpartition("\n#")[2].splitlines()[-1] if line.startswith("#") else line
        words = statement.split()
        standard = words[1].split(".")[0] in sys.stdlib_module_names if len(words) > 1 else False
        groups[standard].append(line)

    def order(line: str) -> tuple[bool, str]:
        statement = line.splitlines()[-1] if line.startswith("#") else line
        return statement.startswith("from"), statement.lower()

    return "\n\n".join("\n".join(sorted(group, key=order)) for group in groups.values() if group)
