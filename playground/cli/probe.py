"""Trying something in a Python process of its own, which may die of it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def complaint(
    code: str, limit_s: float, *, line: int = -1, environment: Mapping[str, str] | None = None
) -> str:
    """Return an empty string if Python runs `code`, else what is wrong.

    Parameters
    ----------
    line
        Which line of its error output tells: the last one of a traceback, the first one of Qt.
    """
    try:
        tried = subprocess.run(
            [sys.executable, "-P", "-c", code],
            capture_output=True,
            text=True,
            timeout=limit_s,
            env={**os.environ, **(environment or {})},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {limit_s:.0f} s"
    if tried.returncode == 0:
        return ""
    return (tried.stderr.strip().splitlines() or [f"exit status {tried.returncode}"])[line]
