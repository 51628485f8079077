"""How the Python that runs this program is started from the user's shell."""

from __future__ import annotations

import os
import shlex
import shutil
import sys


def python_command(folder: str | None = None) -> str:
    """Return what to type for the Python that has this program, torch and triton.

    That is `python` where the shell finds it under this name; a virtual environment that is not
    activated is named by its path, from `folder` (the current one) where it lies below it.
    """
    running = os.path.abspath(sys.executable)
    found = shutil.which("python")
    # A virtual environment's python is a link to another one: the folder tells them apart.
    if found is not None and os.path.dirname(os.path.abspath(found)) == os.path.dirname(running):
        return "python"
    start = os.path.abspath(folder or os.getcwd())
    below = os.path.commonpath([start, running]) == start
    return shlex.quote(os.path.relpath(running, start) if below else running)
