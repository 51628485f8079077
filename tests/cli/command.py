"""Where the command is called: paths and an environment without a display."""

from __future__ import annotations

from pathlib import Path

from tests.child_environment import child_environment

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "kernels"


def environment() -> dict[str, str]:
    shown = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    found = child_environment(interpret=False)
    return {key: value for key, value in found.items() if key not in shown}
