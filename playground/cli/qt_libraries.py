"""Which system libraries Qt needs, which of them are missing, and the command that installs them.

Standard library only: the bootstrap asks before anything is installed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys

OFFSCREEN = {
    "libglib2.0-0": "libgthread-2.0.so.0",
    "libgl1": "libGL.so.1",
    "libegl1": "libEGL.so.1",
    "libxkbcommon0": "libxkbcommon.so.0",
    "libfontconfig1": "libfontconfig.so.1",
    "libdbus-1-3": "libdbus-1.so.3",
}
"""Debian package to library: what Qt loads even when it draws offscreen."""

DISPLAY = {
    "libxcb-cursor0": "libxcb-cursor.so.0",
    "libxcb-icccm4": "libxcb-icccm.so.4",
    "libxcb-keysyms1": "libxcb-keysyms.so.1",
    "libxcb-shape0": "libxcb-shape.so.0",
    "libxkbcommon-x11-0": "libxkbcommon-x11.so.0",
}
"""What Qt's X11 plugin loads beyond that."""

XVFB = {"xvfb": "Xvfb", "xauth": "xauth", "xdotool": "xdotool"}
"""Debian package to program: what the tests with real key and mouse events start."""


def loads(library: str) -> bool:
    """Tell whether the dynamic linker finds `library`; asking it beats reading its cache."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing(*, display: bool = False, xvfb: bool = False) -> list[str]:
    """Return the Debian packages whose library or program is missing; only Linux has any."""
    if not sys.platform.startswith("linux"):
        return []
    wanted = {**OFFSCREEN, **(DISPLAY if display or xvfb else {})}
    absent = [package for package, library in wanted.items() if not loads(library)]
    if xvfb:
        absent += [package for package, program in XVFB.items() if not shutil.which(program)]
    return absent


def may_install() -> bool:
    """Tell whether this process may install packages itself: it is root and there is apt."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_command(packages: list[str]) -> str:
    """Return the one command that installs `packages` on Debian and Ubuntu."""
    return "sudo apt-get install -y " + " ".join(packages)
