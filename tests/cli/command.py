"""Where the command is called: paths and an environment without a display."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "kernels"


def environment() -> dict[str, str]:
    found = {
        key: value
        for key, value in os.environ.items()
        if key not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "TRITON_INTERPRET")
    }
    return {**found, "PYTHONPATH": str(ROOT)}
