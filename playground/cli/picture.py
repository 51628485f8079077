"""A picture of the real window, drawn offscreen in a process of its own with the real engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from playground.cli.process import kill_group, unwinding_on_sigterm

if TYPE_CHECKING:
    from collections.abc import Mapping

WORK_S = 200.0
"""How long the window's own work may take; the picture then shows what is there."""
LIMIT_S = WORK_S + 60.0


@dataclass(frozen=True)
class Picture:
    """What became of a picture: `failure` says why there is none, `missing` what it lacks."""

    failure: str = ""
    missing: tuple[str, ...] = ()


def take(file: str, png: Path, config: Mapping[str, object]) -> Picture:
    """Save a picture of the window with `file` run and swept under `config` in it."""
    root = str(Path(__file__).resolve().parents[2])
    code = (
        f"import sys; root = {root!r}; root in sys.path or sys.path.append(root); "
        "from playground.ui.photograph import main; sys.exit(main(sys.argv[1:]))"
    )
    options = ["--config", json.dumps(config), "--sweep", "--timeout", str(WORK_S)]
    with (
        unwinding_on_sigterm(),
        subprocess.Popen(
            [sys.executable, "-P", "-c", code, *options, "--", file, str(png)],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=os.name != "nt",
        ) as drawing,
    ):
        try:
            told, said = drawing.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return Picture(f"the window was not drawn within {LIMIT_S:.0f} s")
        finally:
            kill_group(drawing)
    if told.strip():
        # It says what is in the picture once that is written; how it ended after is no matter.
        return Picture(missing=tuple(json.loads(_last_line(told))["missing"]))
    if drawing.returncode < 0:
        name = signal.Signals(-drawing.returncode).name
        return Picture(f"Qt's process died of {name}: {_last_line(said)}")
    return Picture(_last_line(said) or f"exit status {drawing.returncode}")


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]
