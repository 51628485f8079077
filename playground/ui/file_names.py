"""What files are called where several are shown: by name, and by folder where names agree."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

UNTITLED = "Untitled"


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Return a short name for each path; no two of different files are the same.

    Where names agree, the nearest folder that differs stands behind: `kernel.py (old)`. A path that
    is empty is of a text without a file.
    """
    names = [PurePath(path).name for path in paths]
    found = []
    untitled = 0
    for path, name in zip(paths, names, strict=True):
        if not path:
            untitled += 1
            found.append(UNTITLED if untitled == 1 else f"{UNTITLED} {untitled}")
            continue
        alike = [
            other for other, its in zip(paths, names, strict=True)
            if its == name and other not in ("", path)
        ]  # fmt: skip
        found.append(f"{name} ({_apart(path, alike)})" if alike else name)
    return found


def _apart(path: str, others: Sequence[str]) -> str:
    """Return the fewest of the nearest folders of `path` that none of `others` lies in."""
    own = PurePath(path).parent.parts
    theirs = [PurePath(other).parent.parts for other in others]
    for count in range(1, len(own) + 1):
        if all(other[-count:] != own[-count:] for other in theirs):
            return str(PurePath(*own[-count:]))
    return str(PurePath(path).parent)
