"""Pictures are drawn by Qt in a process of its own: what starts one and waits for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from playground.cli.process import kill_group, unwinding_on_sigterm


@dataclass(frozen=True)
class Drawn:
    """How a drawing process ended: its exit status, what it printed, and its last error line."""

    status: int
    told: str
    last_words: str

    @property
    def killer(self) -> str:
        """The signal that ended it, or an empty string."""
        return signal.Signals(-self.status).name if self.status < 0 else ""


def draw(module: str, arguments: list[str], limit_s: float) -> Drawn | None:
    """Run `module.main(arguments)` offscreen; None where it took longer than `limit_s`.

    Whatever happens, nothing of its process group is left.
    """
    root = str(Path(__file__).resolve().parents[2])
    code = (
        f"import sys; root = {root!r}; root in sys.path or sys.path.append(root); "
        f"from {module} import main; sys.exit(main(sys.argv[1:]))"
    )
    with (
        unwinding_on_sigterm(),
        subprocess.Popen(
            [sys.executable, "-P", "-c", code, *arguments],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=os.name != "nt",
        ) as drawing,
    ):
        try:
            told, said = drawing.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            kill_group(drawing)
    return Drawn(drawing.returncode, told, last_line(said))


def last_line(text: str) -> str:
    """Return the last line of a text; an empty text has an empty one."""
    return (text.strip().splitlines() or [""])[-1]
