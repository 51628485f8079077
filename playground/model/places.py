"""Where the program keeps its files: settings, and what is kept between sessions."""

from __future__ import annotations

import os
from pathlib import Path

CONFIG_VARIABLE = "PLAYGROUND_CONFIG_DIR"
"""Names another folder for everything that the window remembers."""


def settings_file() -> Path:
    """Return the file with the window's settings."""
    chosen = os.environ.get(CONFIG_VARIABLE)
    if chosen:
        return Path(chosen) / "window.ini"
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "triton-playground" / "window.ini"


def state_place() -> Path:
    """Return the folder of what is kept between sessions: unsaved text, the log; it is not made."""
    chosen = os.environ.get(CONFIG_VARIABLE)
    if chosen:
        return Path(chosen) / "state"
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "triton-playground"
