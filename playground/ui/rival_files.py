"""Which file an expression to compare with names."""

from __future__ import annotations

import os


def other_file(expression: str, beside: str) -> str:
    """Return the file that `expression` names (`other.py`, `other.py:1`), empty for none.

    Parameters
    ----------
    beside
        The file whose folder relative names start from.
    """
    path, colon, number = expression.rpartition(":")
    if not colon or not number.isdecimal():
        path = expression
    path = path.strip()
    if not path.endswith(".py"):
        return ""
    return os.path.join(os.path.dirname(beside), os.path.expanduser(path))
