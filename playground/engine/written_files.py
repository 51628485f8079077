"""Which files a run wrote into its working directory."""

from __future__ import annotations

import contextlib
import os

_MOST_ENTRIES = 5000
_NAMED = 5
_OWN = frozenset({"__pycache__", ".git", ".pytest_cache"})

Listing = dict[str, tuple[int, int]]
"""What a folder holds: size and time of the last change, by name."""


def listing(folder: str) -> Listing:
    """Return what `folder` holds; nothing for one that cannot be read or holds very much."""
    found: Listing = {}
    said = _said_into()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name in _OWN:
                    continue
                if len(found) >= _MOST_ENTRIES:
                    return {}
                status = entry.stat(follow_symlinks=False)
                if (status.st_dev, status.st_ino) in said:
                    continue
                found[entry.name] = status.st_size, status.st_mtime_ns
    except OSError:
        return {}
    return found


def _said_into() -> set[tuple[int, int]]:
    """Return the files that this process's output goes to: not the run has chosen them."""
    found = set()
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):  # closed
            status = os.fstat(descriptor)
            found.add((status.st_dev, status.st_ino))
    return found


def written(before: Listing, after: Listing) -> str:
    """Return the names of what is new or changed, in words; empty for none.

    A folder is changed when something in it came or went.
    """
    names = sorted(name for name, state in after.items() if before.get(name) != state)
    if not names or (not before and len(names) > 1000):
        return ""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
