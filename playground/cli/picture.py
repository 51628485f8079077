"""A picture of the real window, drawn offscreen in a process of its own with the real engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT_S = 240.0


def take(file: str, png: Path, config: Mapping[str, object]) -> str:
    """Save a picture of the window with `file` run under `config` in it.

    Returns
    -------
    str
        Why there is no picture, or an empty string.
    """
    root = str(Path(__file__).resolve().parents[2])
    code = (
        f"import sys; root = {root!r}; root in sys.path or sys.path.append(root); "
        "from playground.cli.photograph import main; sys.exit(main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code, file, str(png), json.dumps(config)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=os.name != "nt",
    ) as drawing:
        try:
            said, _ = drawing.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return f"the window was not drawn within {LIMIT_S:.0f} s"
        finally:
            _end(drawing)
    if drawing.returncode == 0 and png.is_file():
        return ""
    if drawing.returncode < 0:
        name = signal.Signals(-drawing.returncode).name
        return f"Qt's process died of {name}: {_last_line(said)}"
    return _last_line(said) or f"exit status {drawing.returncode}"


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _end(drawing: subprocess.Popen[str]) -> None:
    try:
        if os.name == "nt":
            drawing.kill()
        else:
            os.killpg(drawing.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # it ended, and all that it started
