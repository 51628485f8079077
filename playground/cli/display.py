"""Whether a window can be opened here, found out without Qt: Qt ends the process when it cannot."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import socket
import sys
from pathlib import Path

from playground.cli import qt_libraries
from playground.cli.probe import complaint

WITHOUT_WINDOW = ("offscreen", "minimal", "minimalegl")
"""Qt platforms that draw where nobody sees it."""

PROBE_S = 15.0


def why_none() -> str:
    """Return why there is no display to open a window on, or an empty string if there is one."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in WITHOUT_WINDOW:
        return f"QT_QPA_PLATFORM is {platform}"
    if not sys.platform.startswith("linux"):
        return ""
    x11, wayland = os.environ.get("DISPLAY", ""), os.environ.get("WAYLAND_DISPLAY", "")
    if platform and platform not in ("xcb", "wayland"):
        return _why_qt_fails()
    if not x11 and not wayland:
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    if x11 and platform != "wayland":
        # Qt falls back on X11 when Wayland does not work, so X11 alone decides where it is set.
        return _why_not_x11(x11)
    if not _wayland_answers(wayland):
        return f"no Wayland compositor answers at {wayland}"
    return _why_qt_fails()


def _why_not_x11(display: str) -> str:
    absent = qt_libraries.missing(display=True)
    if absent:
        return "Qt needs system libraries: " + qt_libraries.install_command(absent)
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return "Qt needs system libraries: " + qt_libraries.install_command(["libxcb1"])
    # The same call that Qt makes, so the server's permission (xauth) is asked for too.
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    if refused:
        return f"the X server at DISPLAY={display} does not answer"
    return _why_plugin_fails()


def _why_plugin_fails() -> str:
    spec = importlib.util.find_spec("PySide6")
    if spec is None or spec.origin is None:
        return "PySide6 is not installed"
    plugin = Path(spec.origin).parent / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    if not plugin.exists():  # a PySide6 built by somebody else keeps it elsewhere
        return _why_qt_fails()
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return f"Qt's X11 plugin does not load: {error}"
    return ""


def _wayland_answers(name: str) -> bool:
    path = Path(os.environ.get("XDG_RUNTIME_DIR", "")) / name
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(2)
            probe.connect(str(path))
    except OSError:
        return False
    return True


def _why_qt_fails() -> str:
    """Let Qt itself try, in a process that may be ended by it."""
    code = "from PySide6.QtGui import QGuiApplication; QGuiApplication([])"
    failure = complaint(code, PROBE_S, line=0)
    return f"Qt cannot open a window: {failure}" if failure else ""
