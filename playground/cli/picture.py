"""A picture of the real window, drawn offscreen in a process of its own with the real engine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.cli.drawing import draw, last_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
    options = ["--config", json.dumps(config), "--sweep", "--timeout", str(WORK_S)]
    drawn = draw("playground.ui.photograph", [*options, "--", file, str(png)], LIMIT_S)
    if drawn is None:
        return Picture(f"the window was not drawn within {LIMIT_S:.0f} s")
    if drawn.told.strip():
        # It says what is in the picture once that is written; how it ended after is no matter.
        return Picture(missing=tuple(json.loads(last_line(drawn.told))["missing"]))
    if drawn.killer:
        return Picture(f"Qt's process died of {drawn.killer}: {drawn.last_words}")
    return Picture(drawn.last_words or f"exit status {drawn.status}")
