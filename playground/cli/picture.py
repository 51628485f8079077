"""A picture of the real window, drawn offscreen in a process of its own with the real engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

LIMIT_S = 240.0


def take(file: str, png: Path) -> str:
    """Save a picture of the window with `file` run in it; return why not, or an empty string."""
    root = str(Path(__file__).resolve().parents[2])
    code = (
        f"import sys; root = {root!r}; root in sys.path or sys.path.append(root); "
        "from playground.cli.picture import main; sys.exit(main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code, file, str(png)],
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


def main(arguments: list[str]) -> int:
    """Draw the window on a file into a PNG: what `take` runs in the process with Qt."""
    from playground.ui.app import photograph

    file, png = arguments
    photograph(file, png)
    return 0
