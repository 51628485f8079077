"""Formatting the text with ruff, where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

TIME_LIMIT_S = 10.0


class FormatProblem(Exception):
    """Why the text was left as it is; the message is fit for the user."""


def formatted(text: str, path: str = "") -> str:
    """Return `text` as `ruff format` writes it, by the settings of the project that has `path`.

    Raises
    ------
    FormatProblem
        ruff is not installed, or it refuses the text.
    """
    ruff = _ruff()
    if ruff is None:
        raise FormatProblem("ruff is not installed: `pip install ruff`, then format again")
    name = path or "untitled.py"
    folder = os.path.dirname(path) or None
    try:
        done = subprocess.run(
            [ruff, "format", "--stdin-filename", name, "-"],
            input=text.encode(), capture_output=True, timeout=TIME_LIMIT_S, check=False, cwd=folder,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FormatProblem(f"ruff did not format the text: {error}") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().split("\n")
        raise FormatProblem(f"ruff did not format the text: {lines[0].removeprefix('error: ')}")
    return done.stdout.decode().replace("\r\n", "\n")


def _ruff() -> str | None:
    """Return ruff's program: the one beside this Python first, then any on the path."""
    beside = shutil.which("ruff", path=os.path.dirname(sys.executable))
    return beside or shutil.which("ruff")
